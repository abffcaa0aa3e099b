internal import HTTPSemantics

extension Configuration.Cursor {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "keys", .sequence(.text(.secret), count: 0...16),
        "Secrets that seal cursors: 32 bytes as 64 hexadecimal digits or base64, or any text of 16 characters or more. "
          + "The first seals, all open: to renew, put the new one first. Default: a random key, so that cursors end with "
          + "the process and replicas do not share them."),
      Schema.Key(
        "expires", .duration(.seconds(1) ... .seconds(366 * 86400)),
        "The age at which cursors are refused. Default: 24h."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Cursor {
    let expires = section.duration("expires")
    var keys: [Configuration.CursorKey] = []
    for (node, path) in section.elements("keys") {
      guard let key = key(node, path, section.decoding) else { continue }
      if keys.contains(key) { section.decoding.fault(node.mark, path, "this key is in the list already") }
      keys.append(key)
    }
    section.end()
    return Configuration.Cursor(keys: keys, expires: expires ?? defaults.expires)
  }

  private static func key(_ node: ConfigurationNode, _ path: String, _ decoding: Decoding) -> Configuration
    .CursorKey?
  {
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      let found = if case .scalar = node.content { "nothing" } else { node.shown }
      decoding.fault(node.mark, path, "\(found) is given; a secret is expected")
      return nil
    }
    guard let text = decoding.resolve(node, path, expected: "a secret") else { return nil }
    if let bytes = bytes(of: text.text) { return .key(Secret(bytes)) }
    guard text.text.unicodeScalars.count >= 16 else {
      decoding.fault(
        node.mark, path,
        "the key has \(text.text.unicodeScalars.count) characters; 16 are the least, and 32 random bytes are better: "
          + "openssl rand -hex 32")
      return nil
    }
    return .passphrase(Secret(Array(text.text.utf8)))
  }

  /// The 32 bytes that a text spells in hexadecimal or base64, or nil.
  private static func bytes(of text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    if digits.count == 64, digits.allSatisfy({ Grammar.hexValue($0) != nil }) {
      return stride(from: 0, to: 64, by: 2).map { index in
        (Grammar.hexValue(digits[index]) ?? 0) << 4 | (Grammar.hexValue(digits[index + 1]) ?? 0)
      }
    }
    guard digits.count == 43 || digits.count == 44 && digits.last == UInt8(ascii: "=") else { return nil }
    let alphabet = digits.prefix(43).map { byte in
      byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
    }
    var bytes: [UInt8] = []
    return Base64URL.decode(alphabet.span, into: &bytes) && bytes.count == 32 ? bytes : nil
  }
}
