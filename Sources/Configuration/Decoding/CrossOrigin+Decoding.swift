internal import HTTPSemantics

extension Configuration.CrossOrigin {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "origins", .sequence(.text(.prose), count: 0...1_000),
        "Pages of these origins may read: https://app.example.com; or * for all. Default: none."),
      Schema.Key(
        "maxAge", .duration(.zero ... .seconds(86_400)),
        "How long a browser may keep that they may. Default: 1h."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.CrossOrigin {
    var origins: [String] = []
    for (node, path) in section.elements("origins") {
      guard let text = section.decoding.resolve(node, path, expected: "an origin", files: false) else {
        continue
      }
      guard text.text == "*" || isOrigin(text.text) else {
        section.decoding.fault(
          node.mark, path,
          "\(text.shown); an origin is expected: scheme, host and maybe port, in small letters, and nothing behind them"
        )
        continue
      }
      origins.append(text.text)
    }
    let maxAge = section.duration("maxAge")
    section.end()
    return Configuration.CrossOrigin(origins: origins, maxAge: maxAge ?? defaults.maxAge)
  }

  /// As browsers write one (RFC 6454 §6.2): it is compared letter by letter.
  private static func isOrigin(_ text: String) -> Bool {
    guard text.utf8.count <= 300, text == text.lowercased(), !text.contains("*"),
      let reference = URIReference(parsing: text),
      let scheme = reference.scheme?.text, let host = reference.host?.text, !host.isEmpty,
      reference.userinfo == nil, reference.query == nil, reference.fragment == nil, reference.path.isEmpty
    else { return false }
    return !(scheme == "https" && reference.port == 443) && !(scheme == "http" && reference.port == 80)
  }
}
