import CHiredis

/// An answer of Redis (RESP 2).
enum Reply {
  case nothing
  case bytes([UInt8])
  case integer(Int)
  case array([Reply])
  case failure(String)

  var isFailure: Bool { if case .failure = self { true } else { false } }

  init(_ reply: UnsafeMutablePointer<redisReply>) {
    let value = unsafe reply.pointee
    switch unsafe value.type {
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = unsafe .bytes(Self.bytes(of: value))
    case REDIS_REPLY_INTEGER: self = unsafe .integer(Int(value.integer))
    case REDIS_REPLY_ERROR: self = unsafe .failure(String(decoding: Self.bytes(of: value), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      self = .array(
        (0..<(unsafe value.elements)).map { index in
          unsafe value.element[index].map { unsafe Reply($0) } ?? .nothing
        })
    default: self = .nothing
    }
  }

  private static func bytes(of reply: redisReply) -> [UInt8] {
    guard let start = unsafe reply.str else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: reply.len))
  }
}

/// A command as it goes over the wire (RESP 2): its words, each behind its length.
struct Command {
  /// With a NUL at the end, which is not sent: hiredis looks for more words behind the last one, as in a C string
  /// (`nextArgument` in async.c of 0.14).
  private(set) var bytes: [UInt8]

  /// What is sent.
  var byteCount: Int { bytes.count - 1 }

  init(_ words: [UInt8]...) {
    bytes = []
    bytes.reserveCapacity(words.reduce(16) { $0 + $1.count + 16 })
    append(UInt8(ascii: "*"), words.count)
    for word in words {
      append(UInt8(ascii: "$"), word.count)
      bytes += word
      bytes += [0x0D, 0x0A]
    }
    bytes.append(0)
  }

  init(_ words: [[UInt8]]) {
    bytes = []
    append(UInt8(ascii: "*"), words.count)
    for word in words {
      append(UInt8(ascii: "$"), word.count)
      bytes += word
      bytes += [0x0D, 0x0A]
    }
    bytes.append(0)
  }

  private mutating func append(_ mark: UInt8, _ count: Int) {
    bytes.append(mark)
    bytes += String(count).utf8
    bytes += [0x0D, 0x0A]
  }
}

/// Words of commands.
func word(_ text: String) -> [UInt8] { Array(text.utf8) }
func word(_ number: Int64) -> [UInt8] { Array(String(number).utf8) }
