import Glibc

/// A blocking HTTP/1.1 client for tests: one request a call, one connection a client, raw bytes where a test wants them.
package final class TestClient {
  package struct Answer: Sendable {
    package var status: Int
    /// In the order they came, names as they were sent.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    package func field(_ name: String) -> String? {
      let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private var descriptor: Int32
  private var unread: [UInt8] = []

  /// Connects to 127.0.0.1. Everything it waits for, it waits for `timeout` seconds at most.
  package init(port: UInt16, timeout: Int = 20) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      // The descriptor is closed by deinit, which runs for an object that was whole before it threw.
      throw Failure(description: "connect to port \(port): errno \(errno)")
    }
    setTimeout(timeout)
  }

  /// Takes over a socket that is connected already.
  package init(connected descriptor: Int32, timeout: Int = 20) {
    self.descriptor = descriptor
    setTimeout(timeout)
  }

  private func setTimeout(_ seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close() }

  package func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Tells the peer that nothing more will be sent.
  package func shutdownSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Makes ``close()`` a reset.
  package func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  package func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
      sent += count
    }
  }

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Asks and reads the answer; the connection stays open where the server keeps it.
  package func request(
    _ method: String = "GET", _ target: String, fields: [(String, String)] = [], body: [UInt8]? = nil
  ) throws -> Answer {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    try send(Array((head + "\r\n").utf8) + (body ?? []))
    return try answer(toHead: method == "HEAD")
  }

  /// Reads the next answer.
  package func answer(toHead: Bool = false) throws -> Answer {
    while true {
      let head = try line(until: Array("\r\n\r\n".utf8))
      let lines = String(decoding: head, as: UTF8.self)
        .split(separator: "\r\n", omittingEmptySubsequences: false)
      let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
        throw Failure(description: "not a status line: \(lines.first ?? "")")
      }
      if status == 100 { continue }
      let fields = lines.dropFirst().filter { !$0.isEmpty }.map { line -> (name: String, value: String) in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        let value = line[colon...].dropFirst().drop { $0 == " " }
        return (String(line[..<colon]), String(value))
      }
      var answer = Answer(status: status, fields: fields, body: [])
      if toHead || status == 204 || status == 304 { return answer }
      if answer.field("Transfer-Encoding")?.lowercased() == "chunked" {
        answer.body = try chunks()
      } else if let length = answer.field("Content-Length").flatMap({ Int($0) }) {
        answer.body = try take(length)
      } else {
        answer.body = try rest()
      }
      return answer
    }
  }

  /// The next `count` bytes.
  package func bytes(_ count: Int) throws -> [UInt8] { try take(count) }

  /// Everything until the server closes.
  package func rest() throws -> [UInt8] {
    while try read() {}
    defer { unread = [] }
    return unread
  }

  private func chunks() throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let size = String(decoding: try line(until: Array("\r\n".utf8)).dropLast(2), as: UTF8.self)
      guard let count = Int(size.prefix { $0 != ";" }, radix: 16) else {
        throw Failure(description: "not a chunk size: \(size)")
      }
      body += try take(count)
      _ = try take(2)
      if count == 0 { return body }
    }
  }

  private func line(until end: [UInt8]) throws -> [UInt8] {
    var searched = 0
    while true {
      var position = max(0, searched - end.count)
      while position + end.count <= unread.count {
        if unread[position] == end[0], unread[position..<position + end.count].elementsEqual(end) {
          return try take(position + end.count)
        }
        position += 1
      }
      searched = unread.count
      guard try read() else {
        let start = String(decoding: unread.prefix(200), as: UTF8.self)
        throw Failure(description: "closed after \(unread.count) bytes: \(start)")
      }
    }
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while unread.count < count {
      guard try read() else {
        throw Failure(description: "closed with \(count - unread.count) bytes to come")
      }
    }
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }

  /// - Returns: false at the end.
  private func read() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 {
      unread += buffer[..<count]
      return true
    }
    if count == 0 || errno == ECONNRESET { return false }
    throw Failure(description: "recv: errno \(errno)")
  }
}
