import JSON

// How the parts of a recognised plan are written into a cursor and read out of it.

extension ByteWriter {
  /// Names and pointers are no longer than this.
  static let maximumTextLength = 1_024

  mutating func write(optional text: String?) {
    write(byte: text == nil ? 0 : 1)
    if let text { write(text) }
  }

  mutating func write(_ placement: Placement) {
    let (kind, text): (UInt8, String) =
      switch placement {
      case .query(let name): (0, name)
      case .form(let name): (1, name)
      case .json(let pointer): (2, pointer.text)
      case .header(let name): (3, name)
      case .path(let pattern): (4, pattern)
      }
    write(byte: kind)
    write(text)
  }

  /// 0 for none, 1 for a size that is known, 2 for one that is sent.
  mutating func write(_ size: PageSize?) {
    guard let size else { return write(byte: 0) }
    write(byte: size.placement == nil ? 1 : 2)
    write(UInt64(size.value))
    if let placement = size.placement { write(placement) }
  }

  /// The aliases only: the upstream's own name is its configuration's.
  mutating func write(_ hosts: TrustedHosts) {
    write(UInt64(hosts.aliases.count))
    for alias in hosts.aliases { write(alias) }
  }
}

extension ByteReader {
  mutating func text() throws(Malformed) -> String {
    let bytes = try text(upTo: ByteWriter.maximumTextLength)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
    return text
  }

  mutating func optionalText() throws(Malformed) -> String? {
    switch try byte() {
    case 0: nil
    case 1: try text()
    default: throw Malformed()
    }
  }

  mutating func pointer() throws(Malformed) -> Pointer {
    let text = try text()
    guard let pointer = try? Pointer(text) else { throw Malformed() }
    return pointer
  }

  mutating func optionalPointer() throws(Malformed) -> Pointer? {
    guard let text = try optionalText() else { return nil }
    guard let pointer = try? Pointer(text) else { throw Malformed() }
    return pointer
  }

  mutating func pointers() throws(Malformed) -> [Pointer] {
    var pointers: [Pointer] = []
    for _ in 0..<(try number(upTo: 16)) { pointers.append(try pointer()) }
    return pointers
  }

  mutating func locator() throws(Malformed) -> Locator? {
    guard let text = try optionalText() else { return nil }
    guard let locator = try? Locator(text) else { throw Malformed() }
    return locator
  }

  mutating func placement() throws(Malformed) -> Placement { try placement(try byte()) }

  mutating func placement(_ kind: UInt8) throws(Malformed) -> Placement {
    switch kind {
    case 0: .query(try text())
    case 1: .form(try text())
    case 2: .json(try pointer())
    case 3: .header(try text())
    case 4: .path(try text())
    default: throw Malformed()
    }
  }

  mutating func size() throws(Malformed) -> PageSize? {
    let kind = try byte()
    if kind == 0 { return nil }
    guard kind <= 2 else { throw Malformed() }
    let value = try number(upTo: Place.maximumPageSize)
    return PageSize(placement: kind == 2 ? try placement() : nil, value: value)
  }

  mutating func hosts(beside hosts: TrustedHosts) throws(Malformed) -> TrustedHosts {
    var aliases = hosts.aliases
    for _ in 0..<(try number(upTo: 16)) {
      let alias = try text()
      if !aliases.contains(alias) { aliases.append(alias) }
    }
    return TrustedHosts(own: hosts.own, aliases: aliases)
  }
}
