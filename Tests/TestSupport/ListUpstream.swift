import Synchronization

/// A list API for tests, served by a ``ScriptedUpstream``: pages by number, and does what the test says in between.
///
/// `GET /items?page=&size=` answers `{"list":[…],"total":N,…}`, whatever `wrap` makes of it.
package final class ListUpstream: Sendable {
  /// What to answer instead of a page.
  package enum Fault: Sendable {
    case status(Int, contentType: String, body: String)
    /// These bytes, as they are, then close.
    case raw([UInt8])
    /// Nothing: the connection is closed.
    case close
    /// Nothing for so long, then the page.
    case delay(Duration)
  }

  private struct State {
    var requests: [(page: Int, size: Int)] = []
    var faults: [Int: [Fault]] = [:]
  }

  private let state: Mutex<State>
  private let server: ScriptedUpstream

  /// - Parameters:
  ///   - items: JSON texts, in order.
  ///   - first: the number of the first page.
  ///   - wrap: makes the body of a page out of its items, its number, and its size.
  package init(
    items: [String], first: Int = 1, defaultSize: Int = 20,
    wrap: @escaping @Sendable (_ items: [String], _ page: Int, _ size: Int) -> String
  ) throws {
    let state = StateBox()
    self.state = Mutex(State())
    server = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let query = ListUpstream.query(of: request)
        let page = query["page"].flatMap { Int($0) } ?? first
        let size = query["size"].flatMap { Int($0) } ?? defaultSize
        switch state.owner?.fault(for: page, size) {
        case nil: break
        case .status(let status, let contentType, let body):
          connection.send(ListUpstream.response(status, contentType, Array(body.utf8)))
          continue
        case .raw(let bytes):
          connection.send(bytes)
          return
        case .close: return
        case .delay(let duration): connection.sleep(duration)
        }
        let start = min(items.count, max(0, page - first) * size)
        let body = wrap(Array(items[start..<min(items.count, start + size)]), page, size)
        connection.send(ListUpstream.response(200, "application/json", Array(body.utf8)))
      }
    }
    state.owner = self
  }

  package var port: UInt16 { server.port }
  /// The pages asked for so far, in order.
  package var pagesAsked: [Int] { state.withLock { $0.requests.map(\.page) } }
  package var requests: [ScriptedUpstream.Request] { server.requests }

  /// Has `fault` happen at the next request for `page`, once; several follow one another.
  package func fail(page: Int, with fault: Fault) {
    state.withLock { $0.faults[page, default: []].append(fault) }
  }

  /// Takes back the faults that have not happened.
  package func recover() { state.withLock { $0.faults = [:] } }

  package func stop() { server.stop() }

  private func fault(for page: Int, _ size: Int) -> Fault? {
    state.withLock { state in
      state.requests.append((page, size))
      guard var faults = state.faults[page], !faults.isEmpty else { return nil }
      let fault = faults.removeFirst()
      state.faults[page] = faults
      return fault
    }
  }

  private static func query(of request: ScriptedUpstream.Request) -> [String: String] {
    let text = request.target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    let form = text + "&" + String(decoding: request.content, as: UTF8.self)
    var values: [String: String] = [:]
    for pair in form.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    return values
  }

  package static func response(_ status: Int, _ contentType: String, _ body: [UInt8]) -> [UInt8] {
    Array(
      "HTTP/1.1 \(status) X\r\nContent-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
      + body
  }
}

/// Lets the script find its upstream, which is not there yet when the script is made.
private final class StateBox: Sendable {
  private let box = Mutex<Weak>(Weak())
  private struct Weak: Sendable { weak var value: ListUpstream? }

  var owner: ListUpstream? {
    get { box.withLock { $0.value } }
    set { box.withLock { $0.value = newValue } }
  }
}
