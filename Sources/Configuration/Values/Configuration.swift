package import Access

/// What one Listway process serves and how: the decoded, checked, immutable content of a configuration file.
///
/// Nothing in here needs checking again: names resolve, numbers are in range, templates are compiled.
package struct Configuration: Sendable, Equatable {
  /// Where clients are served.
  package let listen: Listener
  /// Where figures and status are served; never the same place as ``listen``.
  package let admin: Listener
  /// The number of event loops; nil takes one a core.
  package let loops: Int?
  package let log: Log
  package let cursor: Cursor
  package let shutdown: Shutdown
  /// Whether a client may ask for the upstream's raw answer with `?debug=1`.
  package let debug: Bool
  /// Whether `/` is a page to browse the lists with, and `/listway.js` a client for pages of one's own.
  package var explorer = true
  package let limits: Limits
  /// In the order of the file; ``List/upstream`` is an index into it.
  package let upstreams: [Upstream]
  /// In the order of the file.
  package let lists: [List]
  /// What all lists together may keep.
  package var cache = Cache.defaults
  package var access = AccessRules.defaults
  package var crossOrigin = CrossOrigin.defaults
  package var proxies = Proxies.none
  package var compression = Compression.defaults
  /// In the order of the file.
  package var calls: [Call] = []
  /// In the order of the file.
  package var screens: [Screen] = []
  /// Lists made of others, in the order of the file.
  package var merged: [MergedList] = []
  /// Where pages are kept that are to outlive the process.
  package var store = Store.none
  /// Whether the file says so, and be it none.
  package var namesStore = false

  package init(
    listen: Listener, admin: Listener, loops: Int?, log: Log, cursor: Cursor, shutdown: Shutdown, debug: Bool,
    limits: Limits, upstreams: [Upstream], lists: [List]
  ) {
    self.listen = listen
    self.admin = admin
    self.loops = loops
    self.log = log
    self.cursor = cursor
    self.shutdown = shutdown
    self.debug = debug
    self.limits = limits
    self.upstreams = upstreams
    self.lists = lists
  }

  /// What a file that names no upstream and no list would mean: every default, nothing served.
  package static let defaults = Configuration(
    listen: .clients, admin: .administrators, loops: nil, log: .defaults, cursor: .defaults,
    shutdown: .defaults,
    debug: false, limits: .defaults, upstreams: [], lists: [])
}
