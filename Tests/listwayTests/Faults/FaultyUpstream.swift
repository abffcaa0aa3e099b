import Foundation
import Synchronization
import TestSupport

/// A list API that can be ill in every way: twenty items, five to a page, `GET /items?page=`.
final class FaultyUpstream: Sendable {
  enum Illness: Sendable {
    case none
    /// These bytes instead of a page, then go on.
    case answer(String)
    case resetBefore
    /// After the first bytes of the head.
    case resetWithin
    /// Half a page, then nothing.
    case halfThenSilence
    /// One byte every so often.
    case drip(Duration)
    /// So long before each page.
    case slow(Duration)
  }

  static let itemCount = 20
  static let pageSize = 5

  private struct State {
    var illness = Illness.none
    /// Set where a session is wanted.
    var session: String?
    var wantsSession = false
    var loginIllness: String?
    var logins = 0
    var pages = 0
    var underWay = 0
    var entries: [Int] = []
  }

  let port: UInt16
  private let state = Mutex(State())
  private let server = Mutex<ScriptedUpstream?>(nil)
  private let onAllAddresses: Bool

  init(onAllAddresses: Bool) throws {
    self.onAllAddresses = onAllAddresses
    port = freePort()
    try start()
  }

  // MARK: Being ill

  func set(_ illness: Illness) { state.withLock { $0.illness = illness } }

  /// Has logins answered with this instead, or well again.
  func refuseLogins(_ answer: String?) { state.withLock { $0.loginIllness = answer } }

  func wantSession() { state.withLock { $0.wantsSession = true } }

  /// Knows no session any more.
  func forgetSession() { state.withLock { $0.session = nil } }

  func start() throws {
    let started = try ScriptedUpstream(port: port, onAllAddresses: onAllAddresses) { [self] in serve($0) }
    server.withLock { $0 = started }
  }

  /// Ends every connection, and refuses new ones.
  func stop() {
    let stopping = server.withLock { server in
      defer { server = nil }
      return server
    }
    stopping?.stop()
  }

  /// Pages that were asked for, well answered or not.
  var pages: Int { state.withLock { $0.pages } }
  var logins: Int { state.withLock { $0.logins } }
  /// How many pages were worked on at once, at the beginning of each.
  var entries: [Int] { state.withLock { $0.entries } }

  // MARK: Serving

  private func serve(_ connection: ScriptedUpstream.Connection) {
    while let request = connection.request() {
      if request.target.hasPrefix("/login") {
        connection.send(login())
        continue
      }
      let (illness, isKnown) = state.withLock { state -> (Illness, Bool) in
        state.pages += 1
        state.underWay += 1
        state.entries.append(state.underWay)
        let isKnown = !state.wantsSession || state.session != nil && request["x-session"] == state.session
        return (state.illness, isKnown)
      }
      let page = isKnown ? Self.page(request.target) : Self.response(200, #"{"code":1001,"list":[]}"#)
      // Before the last byte is out, or the next one might come first.
      func done() { state.withLock { $0.underWay -= 1 } }
      switch illness {
      case .none:
        done()
        connection.send(page)
      case .answer(let answer):
        done()
        connection.send(answer)
      case .resetBefore:
        done()
        return connection.reset()
      case .resetWithin:
        done()
        connection.send(String(page.prefix(9)))
        connection.sleep(.milliseconds(5))
        return connection.reset()
      case .halfThenSilence:
        done()
        connection.send(String(page.prefix(page.utf8.count - 40)))
        return connection.hold()
      case .drip(let pause):
        done()
        connection.drip(page, every: pause)
      case .slow(let delay):
        connection.sleep(delay)
        done()
        connection.send(page)
      }
    }
  }

  private func login() -> String {
    state.withLock { state in
      state.logins += 1
      if let answer = state.loginIllness { return answer }
      let token = "secret-\(state.logins)"
      state.session = token
      return Self.response(200, #"{"token":"\#(token)"}"#)
    }
  }

  static func items(ofPage page: Int) -> [Int] {
    Array(((page - 1) * pageSize + 1...page * pageSize).prefix { $0 <= itemCount })
  }

  private static func page(_ target: String) -> String {
    let number = target.split(separator: "page=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
    let items = items(ofPage: number ?? 1).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    return response(200, #"{"code":0,"total":\#(itemCount),"list":[\#(items)]}"#)
  }

  static func response(_ status: Int, type: String = "application/json", fields: String = "", _ body: String)
    -> String
  {
    "HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }
}
