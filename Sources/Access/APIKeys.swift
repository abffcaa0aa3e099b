/// A SHA-256 digest.
package struct Digest: Sendable, Hashable {
  fileprivate let words: [4 of UInt64]

  /// - Parameter bytes: 32.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == 32, "a SHA-256 digest has 32 bytes")
    words = [4 of UInt64] { word in
      bytes[word * 8..<word * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
  }

  package static func == (left: Digest, right: Digest) -> Bool { left.difference(from: right) == 0 }

  package func hash(into hasher: inout Hasher) { for index in 0..<4 { hasher.combine(words[index]) } }

  /// Zero where both are equal. It takes the same time wherever they differ.
  fileprivate func difference(from other: Digest) -> UInt64 {
    var difference: UInt64 = 0
    for index in 0..<4 { difference |= words[index] ^ other.words[index] }
    return difference
  }
}

/// The API keys that are known: their digests alone, under names. A key is 32 random bytes, so that its plain digest is as
/// hard to go back from as any.
package struct APIKeys: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    /// Whose it is; several keys may be one client's, while one takes the other's place.
    package let name: String
    package let digest: Digest

    package init(name: String, digest: Digest) {
      self.name = name
      self.digest = digest
    }
  }

  /// Bytes of the longest key that is looked at.
  package static let longest = 256

  package let entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  /// Whose key has this digest. Every entry is looked at, to its end, whichever fits.
  package func name(of digest: Digest) -> String? {
    var found = -1
    for index in entries.indices where entries[index].digest.difference(from: digest) == 0 { found = index }
    return found < 0 ? nil : entries[found].name
  }
}
