import Glibc

/// Many clients that ask at once, each by a connection of its own, on one thread.
package enum Crowd {
  package struct Answer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// From the start of its connection to the last byte of its answer.
    package var elapsed: Duration

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// `header.error` of the envelope; nil for success.
    package var error: String? {
      let parts = text.split(separator: #""error":""#, maxSplits: 1)
      return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }
  }

  private struct Client {
    let descriptor: Int32
    let start: ContinuousClock.Instant
    var unsent: ArraySlice<UInt8>
    var received: [UInt8] = []
    var answer: Answer?
    var isOver = false
  }

  /// Asks 127.0.0.1 as it is on the calling thread.
  ///
  /// - Parameters:
  ///   - targets: one a client.
  ///   - limit: how long is waited for all of them.
  /// - Returns: as many as targets; nil for who was not answered.
  package static func ask(_ targets: [String], port: UInt16, within limit: Duration) -> [Answer?] {
    let deadline = ContinuousClock.now + limit
    var clients = targets.map { target -> Client in
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let start = ContinuousClock.now
      _ = withLoopback(port: port) { connect(descriptor, $0, $1) }
      return Client(
        descriptor: descriptor, start: start,
        unsent: Array("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)[...])
    }
    while ContinuousClock.now < deadline {
      let open = clients.indices.filter { !clients[$0].isOver }
      if open.isEmpty { break }
      var polled = open.map { index in
        pollfd(
          fd: clients[index].descriptor, events: Int16(clients[index].unsent.isEmpty ? POLLIN : POLLOUT),
          revents: 0)
      }
      let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      poll(&polled, nfds_t(polled.count), Int32(max(1, min(left, 1_000))))
      for (index, item) in zip(open, polled) where item.revents != 0 { advance(&clients[index]) }
    }
    for client in clients { close(client.descriptor) }
    return clients.map(\.answer)
  }

  private static func advance(_ client: inout Client) {
    if !client.unsent.isEmpty {
      let bytes = Array(client.unsent)
      let sent = send(client.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      if sent > 0 {
        client.unsent = client.unsent.dropFirst(sent)
      } else if errno != EAGAIN {
        client.isOver = true
      }
      return
    }
    var piece = [UInt8](repeating: 0, count: 16_384)
    let count = recv(client.descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
    if count < 0 && errno == EAGAIN { return }
    if count > 0 {
      client.received += piece[..<count]
      return
    }
    client.isOver = true
    let elapsed = client.start.duration(to: .now)
    guard count == 0, let end = client.received.endOfHead else { return }
    let words = String(decoding: client.received[..<end], as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard words.count == 3, let status = Int(words[1]) else { return }
    client.answer = Answer(status: status, body: Array(client.received[end...]), elapsed: elapsed)
  }
}
