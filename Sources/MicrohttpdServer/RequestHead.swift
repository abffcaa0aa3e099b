import CMicrohttpd
import Gateway
import HTTPSemantics

// The library reads leniently: in 0.9.75 a line may end with LF alone, a field may go on in the next line, a value
// ends at a NUL, names may be anything, and of two Content-Length fields the first counts. Between two readers of one
// connection each of these smuggles a request (RFC 9112 §11.2). So the head is read once more here. It lies in the
// connection's memory as it came, with NULs in place of the separators:
//
//   G E T 0 / a 0 H T T P / 1 . 1 0 0 H o s t 0 _ x 0 0 0 0        (_ is a space; header_size ends after the last 0)
//   method  target version            name      value
//
// Every piece must begin exactly where the one before it says: that rules out what is not of this form. Pointers are
// compared, and nothing is read but the pieces themselves. From 0.9.77 on MHD_OPTION_CLIENT_DISCIPLINE_LVL does this;
// then this check can go, and must, since what the library keeps in memory is its own business.

/// What is checked of a request before anybody looks at what it asks for.
@safe
struct RequestHead {
  private(set) var method = Method.get
  /// The announced length; nil when there is none, or the content comes in chunks.
  private(set) var contentLength: Int?
  private(set) var isChunked = false
  private(set) var fault: RequestFault?

  /// - Parameters:
  ///   - target: where the target lies in the connection's memory.
  ///   - targetBytes: a copy of it.
  ///   - headerByteCount: request line and header section, with the empty line.
  init(
    connection: OpaquePointer, method: UnsafePointer<CChar>, target: UnsafeRawPointer, targetBytes: [UInt8],
    version: UnsafePointer<CChar>, headerByteCount: Int, limits: ServerLimits
  ) {
    let start = unsafe UnsafeRawPointer(method)
    let versionStart = unsafe UnsafeRawPointer(version)
    let methodByteCount = unsafe strlen(method)
    let versionByteCount = unsafe strlen(version)
    let line = unsafe versionStart + versionByteCount - start
    let name = unsafe UnsafeRawBufferPointer(start: method, count: methodByteCount)
    let isNameFit = unsafe methodByteCount > 0 && name.allSatisfy { RequestHead.token.contains($0) }
    let isInPlace =
      unsafe target == start + methodByteCount + 1 && versionStart == target + targetBytes.count + 1
    // What is not ASCII is not right either, and harmless; whoever decodes the target may take it.
    let isTargetFit = !targetBytes.contains { $0 <= 0x20 || $0 == 0x7F }
    unsafe self.method = Method(name.assumingMemoryBound(to: UInt8.self).span)

    var fields = unsafe FieldCheck(next: versionStart + versionByteCount + 2)
    unsafe withUnsafeMutablePointer(to: &fields) { fields in
      unsafe _ = MHD_get_connection_values_n(connection, .HEADER_KIND, FieldCheck.each, fields)
    }
    let endsInPlace = unsafe fields.next + 2 == start + headerByteCount
    var isWellFormed = isNameFit && isTargetFit && isInPlace && endsInPlace && fields.isWellFormed
    let isOld = unsafe versionByteCount == 8 && version[7] == CChar(bitPattern: UInt8(ascii: "0"))
    // RFC 9112 §3.2 for Host, §6.1 and §6.3 for the framing.
    if fields.hostCount > 1 || fields.hostCount == 0 && !isOld { isWellFormed = false }
    if fields.contentLengthCount > 1 { isWellFormed = false }
    if fields.transferEncodingCount > 0 {
      let isPlain = fields.transferEncodingCount == 1 && fields.isChunked && fields.contentLengthCount == 0
      if !isPlain || isOld { isWellFormed = false }
    }
    isChunked = fields.isChunked
    contentLength = fields.contentLengthCount > 0 ? fields.contentLength : nil

    if line > limits.requestLine {
      fault = .targetTooLong
    } else if headerByteCount > limits.headers {
      fault = .fieldsTooLarge
    } else if !isWellFormed {
      fault = .malformed
    } else if let contentLength, contentLength > limits.content {
      fault = .contentTooLarge
    }
  }

  /// `tchar`, RFC 9110 §5.6.2.
  fileprivate static let token = ByteSet(
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
}

/// One walk over the fields of a head.
@safe
private struct FieldCheck {
  /// Where the next line must begin.
  var next: UnsafeRawPointer
  var isWellFormed = true
  var hostCount = 0
  var contentLengthCount = 0
  var contentLength = 0
  var transferEncodingCount = 0
  var isChunked = false

  init(next: UnsafeRawPointer) {
    unsafe self.next = unsafe next
  }

  static let each: MHD_KeyValueIteratorN = { check, _, name, nameByteCount, value, valueByteCount in
    guard let check = unsafe check, let name = unsafe name, let value = unsafe value else { return .YES }
    unsafe check.assumingMemoryBound(to: FieldCheck.self).pointee.read(
      UnsafeRawBufferPointer(start: name, count: nameByteCount),
      UnsafeRawBufferPointer(start: value, count: valueByteCount))
    return .YES
  }

  private mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else { return }
    let isInPlace = unsafe nameStart == next && valueStart > nameStart + name.count
    unsafe next = valueStart + value.count + 2
    guard isInPlace, unsafe !name.isEmpty, unsafe name.allSatisfy({ RequestHead.token.contains($0) }),
      unsafe value.isFieldContent
    else {
      isWellFormed = false
      return
    }
    switch name.count {
    case 4 where unsafe name.spells("host"):
      hostCount += 1
    case 14 where unsafe name.spells("content-length"):
      contentLengthCount += 1
      // The library has seen to it that these are digits, and not too many.
      contentLength = unsafe value.reduce(0) { sum, byte in
        byte &- 0x30 < 10 && sum < Int.max / 16 ? sum * 10 + Int(byte &- 0x30) : sum
      }
    case 17 where unsafe name.spells("transfer-encoding"):
      transferEncodingCount += 1
      isChunked = unsafe value.spells("chunked")
    default:
      break
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether there is no control character but tabs (RFC 9110 §5.5). Eight bytes at a time, since nearly always there
  /// is none.
  fileprivate var isFieldContent: Bool {
    var index = 0
    while index + 8 <= count {
      let word = unsafe loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let flipped = word ^ 0x7F7F_7F7F_7F7F_7F7F
      // The top bit of a byte is set by the first where it is below 0x20, by the second where it is 0x7F; either may
      // take in a byte above such a one too.
      let found =
        (word &- 0x2020_2020_2020_2020) & ~word | (flipped &- 0x0101_0101_0101_0101) & ~flipped
      if found & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    return unsafe self[index...].allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }

  /// Whether the bytes spell `text`, letters compared without case. `text` is written in lower case.
  func spells(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = unsafe self[index]
      let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      if unsafe lower != text.utf8Start[index] { return false }
    }
    return true
  }
}
