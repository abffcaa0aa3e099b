internal import Access

extension Configuration {
  /// The keys of a configuration file, from the top.
  package static var keys: [Schema.Key] {
    [
      Schema.Key("listen", .mapping(Listener.keys(default: .clients)), "Where clients are served."),
      Schema.Key(
        "admin", .mapping(Listener.keys(default: .administrators)),
        "Where metrics and status are served. Keep it away from clients."),
      Schema.Key("loops", .integer(0...256), "Event loops; 0 takes one a core. Default: 0."),
      Schema.Key("log", .mapping(Log.keys), "The log, JSON lines on standard error."),
      Schema.Key("cursor", .mapping(Cursor.keys), "How cursors are sealed."),
      Schema.Key("shutdown", .mapping(Shutdown.keys), "How the process ends."),
      Schema.Key(
        "debug", .boolean,
        "Whether ?debug=1 shows a client the upstream's raw answer and transport error. Default: false."),
      Schema.Key(
        "explorer", .boolean,
        "Whether / serves a page to browse the lists with, and /listway.js a client for pages of one's own. Default: true."
      ),
      Schema.Key("limits", .mapping(Limits.keys), "What one client may take."),
      Schema.Key("cache", .mapping(Cache.keys), "What is kept of all lists together."),
      Schema.Key(
        "access", AccessRules.shape,
        "Who may ask: none for everybody, or keys and tokens. It has to be said where others reach the address."
      ),
      Schema.Key("cors", .mapping(CrossOrigin.keys), "Which pages of other origins may read, in a browser."),
      Schema.Key("proxies", .mapping(Proxies.keys), "Which proxies tell who a client is."),
      Schema.Key("compression", .mapping(Compression.keys), "How answers are compressed."),
      Schema.Key(
        "store", Store.shape,
        "Where known pages outlive the process: a file, a Redis or Valkey server that replicas share, or none. Default: none."
      ),
      Schema.Key(
        "upstreams", .named(.entity, .mapping(Upstream.keys)), isRequired: true,
        "The servers that lists come from."),
      Schema.Key(
        "lists", .named(.entity, .either([.mapping(List.keys), .mapping(MergedList.keys)])), isRequired: true,
        "The lists, each served at /v1/lists/NAME: of an upstream, or made of other lists."),
      Schema.Key(
        "calls", .named(.entity, .mapping(Call.keys)), "One-shot requests, each served at /v1/calls/NAME."),
      Schema.Key(
        "screens", .named(.entity, .open(Screen.keys, .entity, .mapping(ScreenSection.keys))),
        "Several lists and calls as one answer, each served at /v1/screens/NAME. What is no key of a screen is the name of "
          + "a section."),
    ]
  }

  /// Decodes the tree of a file.
  ///
  /// - Parameter file: the file's name, for the errors.
  /// - Throws: everything that is wrong with it, at once.
  package static func decode(
    _ root: ConfigurationNode, file: String, from sources: ConfigurationSources
  ) throws(ConfigurationFaults) -> Configuration {
    let decoding = Decoding(file: file, sources: sources)
    let section = Section(root, "", keys: keys, in: decoding, at: root.mark)
    let listen = Listener.decode(section.section("listen"), default: .clients)
    let admin = Listener.decode(section.section("admin"), default: .administrators)
    if section.isPresent, let conflict = listen.conflict(with: admin) {
      decoding.fault(section.mark(section.has("admin") ? "admin" : "listen"), "admin", conflict)
    }
    let loops = section.integer("loops") ?? 0
    decoding.access = AccessRules.decode(section)
    let upstreams = Upstream.decode(all: section)
    let lists = List.decode(all: section, upstreams: upstreams)
    var configuration = Configuration(
      listen: listen, admin: admin, loops: loops == 0 ? nil : loops, log: Log.decode(section.section("log")),
      cursor: Cursor.decode(section.section("cursor")),
      shutdown: Shutdown.decode(section.section("shutdown")),
      debug: section.boolean("debug") ?? false, limits: Limits.decode(section.section("limits")),
      upstreams: upstreams.compactMap(\.upstream), lists: lists.lists)
    configuration.merged = lists.merged
    configuration.explorer = section.boolean("explorer") ?? true
    configuration.cache = Cache.decode(section.section("cache"))
    configuration.access = decoding.access
    configuration.crossOrigin = CrossOrigin.decode(section.section("cors"))
    configuration.proxies = Proxies.decode(section.section("proxies"))
    configuration.compression = Compression.decode(section.section("compression"))
    configuration.calls = Call.decode(all: section, upstreams: upstreams)
    configuration.screens = Screen.decode(
      all: section, lists: configuration.offers, calls: configuration.calls)
    configuration.store = Store.decode(section)
    configuration.namesStore = section.has("store")
    section.end()
    guard decoding.faults.isEmpty else {
      let order = decoding.faults.enumerated().sorted {
        ($0.element.mark, $0.offset) < ($1.element.mark, $1.offset)
      }
      throw ConfigurationFaults(order.map(\.element))
    }
    return configuration
  }

  /// The places in a file where `key` is allowed, such as `upstreams.NAME.timeout`.
  static func places(ofKey key: String) -> [String] { places(ofKey: key, among: keys, "") }

  private static func places(ofKey wanted: String, among keys: [Schema.Key], _ path: String) -> [String] {
    keys.flatMap { key -> [String] in
      let inner = path.isEmpty ? key.name : "\(path).\(key.name)"
      let here = key.name == wanted ? [path.isEmpty ? "the top level" : path] : []
      return here + places(ofKey: wanted, in: key.shape, inner)
    }
  }

  private static func places(ofKey wanted: String, in shape: Schema, _ path: String) -> [String] {
    switch shape {
    case .mapping(let keys): places(ofKey: wanted, among: keys, path)
    case .named(_, let shape): places(ofKey: wanted, in: shape, "\(path).NAME")
    case .open(let keys, _, let shape):
      places(ofKey: wanted, among: keys, path) + places(ofKey: wanted, in: shape, "\(path).NAME")
    case .either(let shapes): shapes.flatMap { places(ofKey: wanted, in: $0, path) }.uniqued
    default: []
    }
  }
}

extension [String] {
  /// Each once, where it is first.
  fileprivate var uniqued: [String] {
    reduce(into: []) { words, word in if !words.contains(word) { words.append(word) } }
  }
}
