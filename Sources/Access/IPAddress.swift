/// An address of the internet, IPv4 as `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), so that both ways to write one are one.
package struct IPAddress: Sendable, Hashable {
  /// In network order, the first byte the highest.
  package let value: UInt128

  package init(_ value: UInt128) { self.value = value }

  package var isIPv4: Bool { value >> 32 == 0xFFFF }

  /// Reads the text form: four numbers, or RFC 4291 §2.2, without brackets, zone or port; nil for anything else.
  package init?(_ text: some Collection<UInt8>) {
    guard text.count <= 45 else { return nil }
    let bytes = Array(text)
    guard
      let value = bytes.contains(UInt8(ascii: ":"))
        ? Self.ipv6(bytes) : Self.ipv4(bytes[...]).map({ 0xFFFF << 32 | UInt128($0) })
    else { return nil }
    self.value = value
  }

  private static func ipv4(_ text: ArraySlice<UInt8>) -> UInt32? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var value: UInt32 = 0
    for part in parts {
      // A zero in front could be read as octal.
      guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else {
        return nil
      }
      var number: UInt32 = 0
      for byte in part {
        guard byte &- 0x30 < 10 else { return nil }
        number = number * 10 + UInt32(byte &- 0x30)
      }
      guard number < 256 else { return nil }
      value = value << 8 | number
    }
    return value
  }

  private static func ipv6(_ text: [UInt8]) -> UInt128? {
    var words: [UInt16] = []
    /// Where `::` stands.
    var gap: Int?
    var rest = text[...]
    if rest.starts(with: "::".utf8) {
      gap = 0
      rest = rest.dropFirst(2)
    } else if rest.first == UInt8(ascii: ":") {
      return nil
    }
    while !rest.isEmpty {
      let group = rest.prefix { $0 != UInt8(ascii: ":") }
      rest = rest[group.endIndex...]
      if group.contains(UInt8(ascii: ".")) {
        guard rest.isEmpty, let value = ipv4(group) else { return nil }
        words += [UInt16(value >> 16), UInt16(truncatingIfNeeded: value)]
        break
      }
      guard (1...4).contains(group.count), let word = hexadecimal(group) else { return nil }
      words.append(word)
      if rest.isEmpty { break }
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: ":") {
        guard gap == nil else { return nil }
        gap = words.count
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return nil
      }
    }
    if let gap {
      guard words.count < 8 else { return nil }
      words.insert(contentsOf: Array(repeating: 0, count: 8 - words.count), at: gap)
    }
    guard words.count == 8 else { return nil }
    return words.reduce(UInt128(0)) { $0 << 16 | UInt128($1) }
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
    var value: UInt16 = 0
    for digit in digits {
      let letter = digit | 0x20
      if digit &- 0x30 < 10 {
        value = value << 4 | UInt16(digit &- 0x30)
      } else if letter &- 0x61 < 6 {
        value = value << 4 | UInt16(letter &- 0x57)
      } else {
        return nil
      }
    }
    return value
  }
}

/// All addresses that begin alike: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
package struct IPNetwork: Sendable, Hashable {
  package let address: IPAddress
  /// Bits of the beginning, of 128.
  package let prefix: Int

  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let address = IPAddress(Array(parts[0])) else { return nil }
    let bits = parts[0].contains(UInt8(ascii: ":")) ? 128 : 32
    var prefix = bits
    if parts.count == 2 {
      guard let number = Int(String(parts[1]) ?? ""), String(number) == String(parts[1]),
        (0...bits).contains(number)
      else { return nil }
      prefix = number
    }
    self.prefix = prefix + 128 - bits
    let mask = Self.mask(self.prefix)
    // A network's own address has no bit beyond its beginning: one that has is a slip of the pen.
    guard address.value & ~mask == 0 else { return nil }
    self.address = address
  }

  package func contains(_ other: IPAddress) -> Bool { other.value & Self.mask(prefix) == address.value }

  private static func mask(_ prefix: Int) -> UInt128 { prefix == 0 ? 0 : ~0 << UInt128(128 - prefix) }
}
