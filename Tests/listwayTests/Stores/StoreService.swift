import Foundation
import Synchronization
import TestSupport

extension Service {
  /// The value of a figure's first series that has all of `labels`; nil where there is none.
  func figure(_ name: String, _ labels: [String] = []) throws -> Int? {
    let text = try TestClient(port: adminPort).request("GET", "/metrics").text
    let line = text.split(separator: "\n").first { line in
      (line.hasPrefix(name + "{") || line.hasPrefix(name + " ")) && labels.allSatisfy { line.contains($0) }
    }
    return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
  }

  /// Waits until a figure is what a test wants it to be.
  func wait(for name: String, _ labels: [String] = [], until isReached: (Int) -> Bool) throws {
    var last: Int?
    for _ in 0..<2_000 {
      last = try figure(name, labels)
      if let last, isReached(last) { return }
      pause(milliseconds: 10)
    }
    throw TestFailure(
      "\(name) \(labels) stays at \(last.map { "\($0)" } ?? "nothing"): \(program.errorText)")
  }
}

/// What the proofs of stores ask: a list with a parameter, so that there are as many cold pages as a test wants.
enum StoredLists {
  static let key = "an example of a key that replicas have in common"

  /// - Parameters:
  ///   - store: what `store:` says.
  ///   - upstream: more of the upstream, after its URL.
  static func configuration(_ port: UInt16, store: String, cache: String, upstream: String = "") -> String {
    """
    log: {level: warn}
    cursor: {keys: ["\(key)"]}
    store: \(store)
    upstreams:
      shop: {url: "http://127.0.0.1:\(port)", retries: {attempts: 1, retryAfter: 5m}, reachability: {probe: none}\(upstream)}
    lists:
      items:
        upstream: shop
        parameters: {q: {type: integer}}
        request: {path: /items, query: {q: "{q}"}}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
        items: {at: /list, id: /id}
        says: {total: /total}
        prefetch: {pages: 0}
        cache: \(cache)
    """
  }

  /// Sixty items, twenty a page, each with some weight.
  static func upstream() throws -> ListUpstream {
    let weight = String(repeating: "x", count: 300)
    return try ListUpstream(items: (1...60).map { #"{"id":\#($0),"note":"\#(weight)"}"# }) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":60}"#
    }
  }

  /// An upstream that takes its time for each answer.
  static func slowUpstream(_ time: Duration) throws -> ScriptedUpstream {
    let items = (1...20).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let body = Array(#"{"list":[\#(items)],"total":40}"#.utf8)
    return try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.sleep(time)
        connection.send(ListUpstream.response(200, "application/json", body))
      }
    }
  }
}

/// Clients that ask for one cold page after the other until they are told to stop.
final class SteadyLoad: Sendable {
  private struct State: Sendable {
    var isStopping = false
    var asked = 0
    var failures: [String] = []
    var running = 0
  }

  private let state = Mutex(State())

  /// - Parameter first: what the parameter begins with; each client has numbers of its own.
  init(port: UInt16, clients: Int, first: Int = 0) {
    for client in 0..<clients {
      state.withLock { $0.running += 1 }
      Thread { [self] in
        var number = first + client * 1_000_000
        while !state.withLock({ $0.isStopping }) {
          number += 1
          let status: String
          do {
            let answer = try TestClient(port: port).request("GET", "/v1/lists/items?limit=20&q=\(number)")
            status = answer.status == 200 ? "" : "\(answer.status) \(answer.text.prefix(300))"
          } catch {
            status = "\(error)"
          }
          state.withLock { state in
            state.asked += 1
            if !status.isEmpty { state.failures.append(status) }
          }
        }
        state.withLock { $0.running -= 1 }
      }.start()
    }
  }

  var asked: Int { state.withLock { $0.asked } }

  /// Waits until so many more have been answered.
  func pass(_ count: Int) throws {
    let goal = asked + count
    for _ in 0..<3_000 {
      if asked >= goal { return }
      pause(milliseconds: 10)
    }
    throw TestFailure("the clients make no way: \(asked) of \(goal)")
  }

  /// - Returns: what went wrong.
  func stop() -> [String] {
    state.withLock { $0.isStopping = true }
    for _ in 0..<3_000 where state.withLock({ $0.running }) > 0 { pause(milliseconds: 10) }
    return state.withLock { $0.failures }
  }
}
