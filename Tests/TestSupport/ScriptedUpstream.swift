import Glibc
import Synchronization

/// A server on loopback that does to each connection what the test says, well-formed or not, on a thread of its own.
///
///     let upstream = try ScriptedUpstream { connection in
///       while connection.request() != nil { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
///     }
///     defer { upstream.stop() }
///
/// A connection is closed when its script returns. ``stop()`` wakes every script that waits, reads or sends, and returns
/// when all have ended.
package final class ScriptedUpstream: Sendable {
  /// A request as it came in.
  package struct Request: Sendable {
    /// The connection that it came by, counted from 0.
    package let connection: Int
    package let method: String
    package let target: String
    package let version: String
    /// Names in lower case, in the order they came.
    package let fields: [(name: String, value: String)]
    package let content: [UInt8]
    /// Everything before the content, as it came.
    package let head: String

    /// The values of a field, joined; nil when it was not sent.
    package subscript(name: String) -> String? {
      let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
  }

  fileprivate struct State {
    var requests: [Request] = []
    var connectionCount = 0
    var threads: [pthread_t] = []
  }

  package let port: UInt16
  private let listener: Int32
  /// A pipe whose reading end becomes readable, for good, when it is time to stop.
  fileprivate let stopping: (read: Int32, write: Int32)
  fileprivate let state = Mutex(State())
  private let script: @Sendable (Connection) -> Void

  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - onAllAddresses: whether others than this machine's loopback may reach it.
  ///   - script: what is done to a connection; called for each, on a thread of its own.
  package init(
    port: UInt16 = 0, onAllAddresses: Bool = false, _ script: @escaping @Sendable (Connection) -> Void
  ) throws {
    (listener, self.port) = try listen(port: port, onAllAddresses: onAllAddresses, backlog: 512)
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw TestFailure("pipe: errno \(errno)") }
    for end in ends { closeOnExec(end) }
    stopping = (ends[0], ends[1])
    self.script = script
    let thread = try startThread { [self] in acceptConnections() }
    state.withLock { $0.threads.append(thread) }
  }

  /// A server that reads a request and answers `response`, again and again.
  package convenience init(answering response: String) throws {
    try self.init { connection in
      while connection.request() != nil { connection.send(response) }
    }
  }

  package var requests: [Request] { state.withLock { $0.requests } }
  /// The connections that were accepted so far.
  package var connectionCount: Int { state.withLock { $0.connectionCount } }
  package func url(_ target: String = "/") -> String { "http://127.0.0.1:\(port)\(target)" }

  /// Ends every connection, and returns when no thread is left. To be called once.
  package func stop() {
    _ = write(stopping.write, "x", 1)
    // The accepting thread is the first; once it has ended there are no new ones.
    let first = state.withLock { $0.threads[0] }
    pthread_join(first, nil)
    for thread in state.withLock({ $0.threads.dropFirst() }) { pthread_join(thread, nil) }
    for descriptor in [listener, stopping.read, stopping.write] { close(descriptor) }
  }

  private func acceptConnections() {
    while wait(listener, for: POLLIN, or: stopping.read, upTo: nil) {
      let descriptor = accept(listener, nil, nil)
      if descriptor < 0 { continue }
      closeOnExec(descriptor)
      let index = state.withLock { state in
        state.connectionCount += 1
        return state.connectionCount - 1
      }
      let connection = Connection(descriptor: descriptor, index: index, upstream: self)
      guard
        let thread = try? startThread({ [script] in
          script(connection); connection.close()
        })
      else {
        connection.close()
        continue
      }
      state.withLock { $0.threads.append(thread) }
    }
  }

  /// One accepted connection, in the hands of its script: every call blocks, and none does once the upstream stops.
  package final class Connection: @unchecked Sendable {
    package let index: Int
    private var descriptor: Int32
    private let upstream: ScriptedUpstream
    private var unread: [UInt8] = []

    fileprivate init(descriptor: Int32, index: Int, upstream: ScriptedUpstream) {
      self.descriptor = descriptor
      self.index = index
      self.upstream = upstream
    }

    /// Reads a request with its content; nil when the peer has closed, or the upstream stops.
    package func request() -> Request? {
      guard let end = fill(until: { $0.endOfHead }) else { return nil }
      let head = String(decoding: unread[..<end], as: UTF8.self)
      unread.removeFirst(end)
      var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
      let words = lines.removeFirst().split(separator: " ", maxSplits: 2).map(String.init)
      let fields = lines.map { line -> (name: String, value: String) in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
        return (parts[0].lowercased(), String(value))
      }
      let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
      guard fill(until: { $0.count >= length ? length : nil }) != nil else { return nil }
      let content = Array(unread.prefix(length))
      unread.removeFirst(length)
      let request = Request(
        connection: index, method: words[0], target: words.count > 1 ? words[1] : "",
        version: words.count > 2 ? words[2] : "", fields: fields, content: content, head: head)
      upstream.state.withLock { $0.requests.append(request) }
      return request
    }

    /// Reads `count` bytes, whatever they are; nil when there are no more.
    package func read(_ count: Int) -> [UInt8]? {
      guard fill(until: { $0.count >= count ? count : nil }) != nil else { return nil }
      defer { unread.removeFirst(count) }
      return Array(unread.prefix(count))
    }

    /// - Returns: false when the peer takes no more.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
      var position = 0
      while position < bytes.count {
        guard descriptor >= 0, wait(descriptor, for: POLLOUT, or: upstream.stopping.read, upTo: nil) else {
          return false
        }
        let sent = bytes.withUnsafeBytes {
          Glibc.send(
            descriptor, $0.baseAddress! + position, bytes.count - position,
            Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        if sent < 0 && errno != EAGAIN { return false }
        position += max(0, sent)
      }
      return true
    }

    /// Sends `text` one byte at a time, with a pause after each.
    package func drip(_ text: String, every pause: Duration) {
      for byte in text.utf8 where send([byte]) { sleep(pause) }
    }

    /// Does nothing for a while.
    package func sleep(_ duration: Duration) {
      _ = wait(-1, for: 0, or: upstream.stopping.read, upTo: duration)
    }

    /// Does nothing until the upstream stops or the peer has closed.
    package func hold() { while fill(until: { _ in nil }) != nil {} }

    /// Whether the peer closes within a while; true as well when the upstream stops.
    package func isClosed(within limit: Duration) -> Bool {
      guard wait(descriptor, for: POLLIN, or: upstream.stopping.read, upTo: limit) else {
        return wait(upstream.stopping.read, for: POLLIN, or: -1, upTo: .zero)
      }
      var byte: UInt8 = 0
      return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) <= 0
    }

    /// Closes in an orderly way (FIN).
    package func close() {
      if descriptor >= 0 { Glibc.close(descriptor) }
      descriptor = -1
    }

    /// Closes with a reset (RST).
    package func reset() {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
      close()
    }

    /// Reads until `measure` of what is there gives a length.
    private func fill(until measure: ([UInt8]) -> Int?) -> Int? {
      while true {
        if let length = measure(unread) { return length }
        guard descriptor >= 0, wait(descriptor, for: POLLIN, or: upstream.stopping.read, upTo: nil) else {
          return nil
        }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &piece, piece.count)
        if count <= 0 { return nil }
        unread += piece.prefix(count)
      }
    }
  }
}

extension [UInt8] {
  var endOfHead: Int? {
    guard count >= 4 else { return nil }
    for index in 3..<count where self[index] == 0x0A && self[index - 2] == 0x0A && self[index - 3] == 0x0D {
      return index + 1
    }
    return nil
  }
}
