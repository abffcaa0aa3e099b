import CMicrohttpd
import Glibc

/// A client's address without its port. An IPv4 address that came in by an IPv6 socket is an IPv4 address.
struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
  /// Sixteen bytes in network order, as two words of the machine's; IPv4 as `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2).
  private let words: [2 of UInt64]
  private let isUnix: Bool

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  /// - Parameter bytes: four.
  init(ipv4 bytes: [UInt8]) {
    self.init(ipv6: PeerAddress.mappedPrefix + bytes)
  }

  /// - Parameter bytes: sixteen.
  init(ipv6 bytes: [UInt8]) {
    precondition(bytes.count == 16)
    words = [PeerAddress.word(bytes[0..<8]), PeerAddress.word(bytes[8..<16])]
    isUnix = false
  }

  /// - Parameter address: as accept(2) gave it; nil and every other family count as a Unix socket's peer.
  init(_ address: UnsafePointer<sockaddr>?) {
    guard let address = unsafe address else {
      words = [0, 0]
      isUnix = true
      return
    }
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      let raw = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
      words = [0, UInt64(0xFFFF) << 32 | UInt64(UInt32(bigEndian: raw))]
      isUnix = false
    case AF_INET6:
      let bytes = unsafe UnsafeRawPointer(address) + MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)!
      words = unsafe [
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
      ]
      isUnix = false
    default:
      words = [0, 0]
      isUnix = true
    }
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func == (left: PeerAddress, right: PeerAddress) -> Bool {
    left.words[0] == right.words[0] && left.words[1] == right.words[1] && left.isUnix == right.isUnix
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(words[0])
    hasher.combine(words[1])
  }

  /// Empty for a Unix socket.
  var description: String {
    if isUnix { return "" }
    if words[0] == 0 && words[1] >> 32 == 0xFFFF {
      let value = UInt32(truncatingIfNeeded: words[1])
      return "\(value >> 24).\(value >> 16 & 0xFF).\(value >> 8 & 0xFF).\(value & 0xFF)"
    }
    var bytes = (words[0].bigEndian, words[1].bigEndian)
    var text: [CChar] = Array(repeating: 0, count: Int(INET6_ADDRSTRLEN))
    unsafe inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
