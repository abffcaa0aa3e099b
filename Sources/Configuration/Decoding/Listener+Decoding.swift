internal import Glibc

extension Configuration.Listener {
  static func keys(default listener: Configuration.Listener) -> [Schema.Key] {
    let address = if case .any = listener.address { "any" } else { "127.0.0.1" }
    return [
      Schema.Key(
        "address", .text(.address),
        "An IPv4 or IPv6 address, any (every address, IPv4 and IPv6), or unix:/path. Default: \(address)."),
      Schema.Key("port", .integer(0...65535), "0 takes a free port. Default: \(listener.port)."),
    ]
  }

  static func decode(_ section: Section, default listener: Configuration.Listener) -> Configuration.Listener {
    let address = address(section) ?? listener.address
    let port = section.integer("port")
    if case .unix = address, section.has("port") {
      section.fault("port", "a Unix socket has no port; remove this key")
    }
    section.end()
    return Configuration.Listener(address: address, port: port.map { UInt16($0) } ?? listener.port)
  }

  private static func address(_ section: Section) -> Configuration.Address? {
    let expected = Schema.TextKind.address.rawValue
    guard let text = section.text("address", expected: expected) else { return nil }
    if let address = Configuration.Address(text.text) { return address }
    section.fault(
      "address",
      "\(text.shown); \(expected) is expected\(suggestion(text.isOutside ? nil : meant(by: text.text)))")
    return nil
  }

  private static func meant(by text: String) -> String? {
    switch text.lowercased() {
    case "localhost": return "127.0.0.1"
    case "*", "all": return "any"
    default: break
    }
    if text.hasPrefix("/") { return "unix:\(text)" }
    let inner = text.first == "[" ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" }
    return Configuration.Address(String(inner)) == nil ? nil : "\(inner), with the port at its own key"
  }

  /// Why both cannot be listened on, or nil.
  func conflict(with other: Configuration.Listener) -> String? {
    switch (address, other.address) {
    case (.unix(let path), .unix(path: let otherPath)):
      return path == otherPath ? "listen has the same socket \(path); each needs its own" : nil
    case (.unix, _), (_, .unix): return nil
    default:
      guard port == other.port, port != 0, address.overlaps(other.address) else { return nil }
      return "listen has the same port \(port); each needs its own"
    }
  }
}

extension Configuration.Address {
  /// Reads the text form, or nil.
  init?(_ text: String) {
    if text == "any" {
      self = .any
    } else if text.hasPrefix("unix:") {
      let path = text.dropFirst(5)
      guard path.hasPrefix("/"), path.utf8.count <= 107, !path.utf8.contains(0) else { return nil }
      self = .unix(path: String(path))
    } else if let bytes = Self.bytes(of: text, family: AF_INET, count: 4) {
      self = .ipv4(bytes)
    } else if let bytes = Self.bytes(of: text, family: AF_INET6, count: 16) {
      self = .ipv6(bytes)
    } else {
      return nil
    }
  }

  /// - SeeAlso: inet_pton(3)
  private static func bytes(of text: String, family: Int32, count: Int) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  /// Whether a connection could be meant for both.
  func overlaps(_ other: Configuration.Address) -> Bool { self == other || isEvery || other.isEvery }

  private var isEvery: Bool {
    switch self {
    case .any: true
    case .ipv4(let bytes), .ipv6(let bytes): bytes.allSatisfy { $0 == 0 }
    case .unix: false
    }
  }
}
