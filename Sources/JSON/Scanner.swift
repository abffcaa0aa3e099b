/// A slow and strict reader of RFC 8259, byte by byte: it finds the place of the first fault, which the index does not
/// know, and shares nothing with it.
@safe struct Scanner {
  private let bytes: UnsafeRawBufferPointer
  /// Where the document ends.
  private let end: Int
  private let maximumDepth: Int
  private var position: Int
  /// The brackets that are open: whether each is an array's.
  private var open: [Bool] = []

  /// - Parameters:
  ///   - bytes: the body up to the end of the document.
  ///   - from: where the document begins. Lines are counted from the body's start.
  init(_ bytes: UnsafeRawBufferPointer, from: Int, maximumDepth: Int) {
    unsafe self.bytes = bytes
    end = bytes.count
    self.maximumDepth = maximumDepth
    position = from
  }

  /// The offset of the root's first byte.
  mutating func scan() throws(Failure) -> Int {
    skipWhiteSpace()
    guard position < end else { throw failure(.empty, at: position, "no JSON, only white space or nothing") }
    let root = position
    repeat {
      try scanValue()
      try closeBrackets()
    } while !open.isEmpty
    skipWhiteSpace()
    if position < end { throw unexpected("the end of the document", .trailingContent) }
    return root
  }

  /// Reads a scalar, or brackets up to the first scalar within them or up to an empty pair.
  private mutating func scanValue() throws(Failure) {
    while true {
      switch peek {
      case UInt8(ascii: "["):
        try enter(isArray: true)
        if peek == UInt8(ascii: "]") { return }
      case UInt8(ascii: "{"):
        try enter(isArray: false)
        if peek == UInt8(ascii: "}") { return }
        try scanKey(or: " or '}'")
      case UInt8(ascii: "\""):
        return try scanString()
      case UInt8(ascii: "-"):
        return try scanNumber()
      case let byte where Self.isDigit(byte):
        return try scanNumber()
      case UInt8(ascii: "t"):
        return try scan(word: "true")
      case UInt8(ascii: "f"):
        return try scan(word: "false")
      case UInt8(ascii: "n"):
        return try scan(word: "null")
      default:
        throw unexpected("a value")
      }
    }
  }

  /// Reads closing brackets and the separator that leads to the next value, if any is to come.
  private mutating func closeBrackets() throws(Failure) {
    while let isArray = open.last {
      skipWhiteSpace()
      switch peek {
      case UInt8(ascii: isArray ? "]" : "}"):
        open.removeLast()
        position += 1
      case UInt8(ascii: ","):
        position += 1
        skipWhiteSpace()
        if !isArray { try scanKey(or: "") }
        return
      default:
        throw unexpected(isArray ? "',' or ']'" : "',' or '}'")
      }
    }
  }

  private mutating func enter(isArray: Bool) throws(Failure) {
    guard open.count < maximumDepth else {
      throw failure(.tooDeep, at: position, "more than \(maximumDepth) brackets within one another")
    }
    open.append(isArray)
    position += 1
    skipWhiteSpace()
  }

  private mutating func scanKey(or alternative: String) throws(Failure) {
    guard peek == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes\(alternative)") }
    try scanString()
    skipWhiteSpace()
    guard peek == UInt8(ascii: ":") else { throw unexpected("':'") }
    position += 1
    skipWhiteSpace()
  }

  private mutating func scan(word: StaticString) throws(Failure) {
    for offset in 0..<word.utf8CodeUnitCount {
      guard unsafe peek == word.utf8Start[offset] else { throw unexpected("'\(word)'") }
      position += 1
    }
  }

  private mutating func scanNumber() throws(Failure) {
    if peek == UInt8(ascii: "-") { position += 1 }
    if peek == UInt8(ascii: "0") {
      position += 1
      if Self.isDigit(peek) {
        throw failure(.invalidNumber, at: position, "a number with a leading zero")
      }
    } else {
      try scanDigits()
    }
    if peek == UInt8(ascii: ".") {
      position += 1
      try scanDigits()
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      try scanDigits()
    }
  }

  /// One digit or more.
  private mutating func scanDigits() throws(Failure) {
    guard Self.isDigit(peek) else { throw unexpected("a digit", .invalidNumber) }
    while Self.isDigit(peek) { position += 1 }
  }

  private mutating func scanString() throws(Failure) {
    position += 1
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"):
        try scanEscape()
      case 0..<0x20:
        throw failure(
          .invalidString, at: position, "the control character \(Self.name(of: byte)) within a string")
      case 0x20..<0x80:
        position += 1
      default:
        try scanCharacter()
      }
    }
    throw unexpected("'\"'")
  }

  private mutating func scanEscape() throws(Failure) {
    let start = position
    position += 1
    switch peek {
    case nil:
      throw unexpected("an escape")
    case UInt8(ascii: "u"):
      position += 1
      for _ in 0..<4 {
        guard let byte = peek else { throw unexpected("a hexadecimal digit") }
        guard Self.isHexadecimalDigit(byte) else {
          throw failure(.invalidString, at: start, "'\\u' without four hexadecimal digits")
        }
        position += 1
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case .some(let byte):
      throw failure(.invalidString, at: start, "the unknown escape '\\' with \(Self.name(of: byte))")
    }
  }

  /// A character of two to four bytes.
  private mutating func scanCharacter() throws(Failure) {
    position += try characterLength()
  }

  /// The length of the character at the position: well-formed by Unicode's table 3-7, the rule behind RFC 3629.
  private func characterLength() throws(Failure) -> Int {
    let first = unsafe bytes[position]
    let (length, second): (Int, ClosedRange<UInt8>)
    switch first {
    case 0..<0x80: return 1
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default:
      throw failure(.invalidUTF8, at: position, "\(Self.name(of: first)), which begins no character of UTF-8")
    }
    for offset in 1..<length {
      guard position + offset < end else {
        throw failure(.truncated, at: end, "the body ends within a character")
      }
      let byte = unsafe bytes[position + offset]
      guard (offset == 1 ? second : 0x80...0xBF) ~= byte else {
        throw failure(
          .invalidUTF8, at: position,
          "\(Self.name(of: first)) and \(Self.name(of: byte)), which is no character of UTF-8")
      }
    }
    return length
  }

  private var peek: UInt8? { position < end ? unsafe bytes[position] : nil }

  private static func isDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
  }

  private mutating func skipWhiteSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  // MARK: Failures

  /// What stands at the position, where `expected` should.
  private func unexpected(_ expected: String, _ kind: Failure.Kind = .unexpectedByte) -> Failure {
    guard let byte = peek else {
      return failure(.truncated, at: position, "the body ends where \(expected) should follow")
    }
    let length: Int
    do { length = try characterLength() } catch { return error }
    let found =
      length == 1
      ? Self.name(of: byte)
      : unsafe "'\(String(decoding: bytes[position..<position + length], as: UTF8.self))'"
    return failure(kind, at: position, "\(found) where \(expected) should stand")
  }

  func failure(_ kind: Failure.Kind, at offset: Int, _ message: String) -> Failure {
    var line = 1
    var column = 1
    for position in 0..<offset {
      let byte = unsafe bytes[position]
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return Failure(kind: kind, offset: offset, line: line, column: column, message: message)
  }

  private static func name(of byte: UInt8) -> String {
    if (0x21..<0x7F).contains(byte) { return "'\(Character(Unicode.Scalar(byte)))'" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }
}
