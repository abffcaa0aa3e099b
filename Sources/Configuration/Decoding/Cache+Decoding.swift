extension Configuration.Cache {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "memory", .size(1_000_000...1_000_000_000_000),
        "What known pages take, all lists and loops together. Default: 64MB.")
    ]
  }

  static func decode(_ section: Section) -> Configuration.Cache {
    let memory = section.size("memory")
    section.end()
    return Configuration.Cache(memory: memory ?? defaults.memory)
  }
}

extension Configuration.Keeping {
  /// Who says how long answers are fresh.
  private enum Obeyed: String, CaseIterable { case list, upstream }

  /// `upstream`, or a mapping.
  static var shape: Schema { .either([.word([Obeyed.upstream.rawValue]), .mapping(keys)]) }

  private static var keys: [Schema.Key] {
    [
      Schema.Key(
        "obey", .words(Obeyed.self),
        "Who says how long a page is fresh and stale: the list, or the upstream in its answers. Default: list."
      ),
      Schema.Key(
        "fresh", .duration(.zero...longest),
        "How long a page is served without asking the upstream. Default: 0s."),
      Schema.Key(
        "stale", .duration(.zero...longest),
        "How long after that it is served while one request renews it. Default: 0s."),
      Schema.Key(
        "keep", .duration(.zero...longest),
        "How long a page is held in all, for when the upstream is unreachable or faulty. Default: 24h."),
      Schema.Key(
        "failure", .duration(.zero ... .seconds(60)),
        "How long a failure is shared with those who ask after it. Default: 0s."),
    ]
  }

  private static var longest: Duration { .seconds(366 * 86_400) }

  /// - Parameter list: the list's section.
  static func decode(_ list: Section) -> Configuration.Keeping {
    let node = list.node("cache")
    if let node, case .scalar(let scalar) = node.content, !scalar.isNull {
      guard
        let text = list.decoding.resolve(node, list.path("cache"), expected: "upstream, or a mapping")
      else { return defaults }
      if text.text != Obeyed.upstream.rawValue {
        list.fault("cache", "\(text.shown); allowed: upstream, or a mapping such as {fresh: 30s, stale: 10m}")
      }
      return keeping(obeysUpstream: true, fresh: nil, stale: nil, keep: nil, failure: nil)
    }
    let section = Section(node, list.path("cache"), keys: keys, in: list.decoding, at: list.mark)
    let obeysUpstream = section.word("obey", Obeyed.self) == .upstream
    let (fresh, stale) = (section.duration("fresh"), section.duration("stale"))
    let (keep, failure) = (section.duration("keep"), section.duration("failure"))
    section.end()
    if obeysUpstream {
      for key in ["fresh", "stale"] where section.has(key) {
        section.fault(key, "the upstream is obeyed, so it says this; remove it, or write obey: list")
      }
    } else if let keep, keep < (fresh ?? .zero) + (stale ?? .zero) {
      section.fault("keep", "\(Units.text(keep)) is less than fresh and stale together")
    }
    return keeping(
      obeysUpstream: obeysUpstream, fresh: fresh, stale: stale, keep: keep, failure: failure)
  }

  private static func keeping(
    obeysUpstream: Bool, fresh: Duration?, stale: Duration?, keep: Duration?, failure: Duration?
  ) -> Configuration.Keeping {
    let served = (fresh ?? defaults.fresh) + (stale ?? defaults.stale)
    return Configuration.Keeping(
      obeysUpstream: obeysUpstream, fresh: fresh ?? defaults.fresh, stale: stale ?? defaults.stale,
      keep: keep ?? max(defaults.keep, served), failure: failure ?? defaults.failure)
  }
}
