import HTTPSemantics
import JSON

/// Takes a response as libcurl hands it over, line by line and then piece by piece, and keeps the final one: interim
/// responses (1xx) and trailers are dropped.
struct ResponseReader: ~Copyable {
  /// Why it takes no more.
  enum Refusal {
    case bodyTooLong
    case headerTooLong
    case lengthUnclear
  }

  private enum Phase {
    case statusLine  // to: head
    case head  // to: statusLine after an interim response, else content
    case content
  }

  /// The bytes of a header section's names and values, and its lines, that are taken.
  private static let headerCeiling = 262_144
  private static let lineCeiling = 2_000
  /// Folded lines of one head.
  private static let foldCeiling = 64
  /// What is reserved for a body whose length is not announced.
  private static let usualBody = 8_192
  /// A compressed body is this many times as long, roughly; not binding.
  private static let usualRatio = 4
  private static let mostReservedByGuess = 262_144

  private(set) var status = 0
  private(set) var refusal: Refusal?
  private var fields = Fields()
  private var phase = Phase.statusLine
  private var foldCount = 0
  /// What the head says of the body so far.
  private var announced: Int?
  private var isLengthUnclear = false
  private var isEncoded = false
  private var isLastAboutLength = false
  private var builder: BytesBuilder?
  private var bodyLimit = 0
  private var isHeadRequest = false

  /// Begins with the first response to a request.
  mutating func begin(bodyLimit: Int, isHeadRequest: Bool) {
    self.bodyLimit = bodyLimit
    self.isHeadRequest = isHeadRequest
    refusal = nil
    builder = nil
    status = 0
    phase = .statusLine
    foldCount = 0
    fields = Fields()
    fields.reserve(lines: 16, bytes: 512)
    forgetLength()
  }

  private mutating func forgetLength() {
    announced = nil
    isLengthUnclear = false
    isEncoded = false
    isLastAboutLength = false
  }

  /// Takes a line of a header section, or of trailers, with its line break.
  ///
  /// - Returns: false when the transfer is to be ended; ``refusal`` says why.
  mutating func takeLine(_ line: Span<UInt8>) -> Bool {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    switch phase {
    case .content: return true
    case .statusLine:
      status = Self.status(line.extracting(0..<end)) ?? 0
      phase = .head
      return true
    case .head: if end == 0 { return endHead() }
    }
    if line[0] == 0x20 || line[0] == 0x09 {
      // Each costs a copy of all that came before, and no server that means well folds more than a few.
      foldCount += 1
      if foldCount > Self.foldCeiling {
        refusal = .headerTooLong
      } else {
        extendLast(by: line.extracting(0..<end))
      }
    } else {
      takeField(line, end: end)
    }
    if fields.byteCount > Self.headerCeiling || fields.count > Self.lineCeiling { refusal = .headerTooLong }
    return refusal == nil
  }

  private mutating func takeField(_ line: Span<UInt8>, end: Int) {
    var colon = 0
    while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
    if colon == end { return }
    let (name, value) = (line.extracting(0..<colon), line.extracting(colon + 1..<end))
    fields.append(name, value)
    isLastAboutLength = colon == 14 && name.matches("content-length", in: 0..<name.count)
    if isLastAboutLength {
      // libcurl reads as many digits as there are (RFC 9112 §6.3 wants it refused).
      let length = Self.decimal(fields[fields.count - 1].value)
      if length == nil || announced != nil && announced != length { isLengthUnclear = true }
      announced = length
    } else if colon == 16 && name.matches("content-encoding", in: 0..<name.count) {
      isEncoded = true
    }
  }

  /// Takes a piece of the body, decoded.
  ///
  /// - Returns: false when the transfer is to be ended; ``refusal`` says why.
  mutating func takeContent(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if builder == nil { builder = BytesBuilder(ceiling: bodyLimit, reserving: Self.usualBody) }
    let isTaken = unsafe builder?.append(bytes) ?? false
    if !isTaken { refusal = .bodyTooLong }
    return isTaken
  }

  /// Whether the head is there to its last line. libcurl 7.88 takes a connection that is closed after any line of the head
  /// for the end of an empty body.
  var hasWholeHead: Bool { phase == .content }

  /// Where the answer points; empty for nowhere. Of several the first counts, as with libcurl.
  var location: String { fields.text(.location) ?? "" }

  /// Hands over what was read, with nothing left here.
  mutating func finish() -> (fields: Fields, body: Bytes) {
    let fields = self.fields
    self.fields = Fields()
    return (fields, builder.take()?.finish() ?? Bytes(copying: []))
  }

  /// Lets go of what was read: a handle waits for its next transfer for as long as there is none.
  mutating func clear() {
    fields = Fields()
    builder = nil
  }

  private mutating func endHead() -> Bool {
    if status < 200 {
      fields.removeAll()
      forgetLength()
      phase = .statusLine
      return true
    }
    phase = .content
    if isHeadRequest { return true }
    if isLengthUnclear {
      refusal = .lengthUnclear
      return false
    }
    if let announced, announced > bodyLimit, !isEncoded {
      refusal = .bodyTooLong
      return false
    }
    let expected = announced.map { isEncoded ? min($0 &* Self.usualRatio, Self.mostReservedByGuess) : $0 }
    builder = BytesBuilder(ceiling: bodyLimit, reserving: expected ?? Self.usualBody)
    return true
  }

  /// A folded line continues the value before it, after a space (RFC 9112 §5.2).
  private mutating func extendLast(by continuation: Span<UInt8>) {
    guard !fields.isEmpty else { return }
    if isLastAboutLength { isLengthUnclear = true }
    var unfolded = Fields()
    for index in 0..<fields.count - 1 { unfolded.append(fields[index].name.span, fields[index].value.span) }
    let last = fields[fields.count - 1]
    var value = Array(last.value)
    value.append(0x20)
    for index in 0..<continuation.count where index > 0 { value.append(continuation[index]) }
    unfolded.append(last.name.span, value.span)
    fields = unfolded
  }

  /// The status code of "HTTP/1.1 200 OK" or "HTTP/2 200": libcurl has looked at the rest.
  private static func status(_ line: Span<UInt8>) -> Int? {
    guard let space = (0..<line.count).first(where: { line[$0] == 0x20 }), line.count >= space + 4 else {
      return nil
    }
    var status = 0
    for index in space + 1..<space + 4 {
      guard line[index] &- 0x30 < 10 else { return nil }
      status = status * 10 + Int(line[index] - 0x30)
    }
    return status
  }

  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...18).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard digit &- 0x30 < 10 else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }
}
