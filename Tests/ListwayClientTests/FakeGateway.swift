import Foundation
import ListwayClient
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A gateway in the test's own process: it pages through numbered rows, and fails where the test says.
final class FakeGateway: Transport {
  struct Seen: Sendable {
    let url: String
    /// By lower-case names.
    let fields: [String: String]
    let content: String?
  }

  typealias Answer = @Sendable (_ number: Int, _ seen: Seen) async -> Result<(String, Int), ListwayError>

  private let requests = Mutex<[Seen]>([])
  private let answer: Answer

  init(_ answer: @escaping Answer) { self.answer = answer }

  /// Rows 0 up to `count`, in slices of `limit`.
  convenience init(rows count: Int, limit: Int, prefetchAt: Int) {
    self.init { _, seen in
      .success((Self.slice(of: count, limit: limit, prefetchAt: prefetchAt, from: seen.cursor ?? 0), 200))
    }
  }

  var seen: [Seen] { requests.withLock { $0 } }

  func answer(to request: URLRequest) async throws(ListwayError) -> (Data, Int, [String: String]) {
    let seen = Seen(
      url: request.url?.absoluteString ?? "",
      fields: Dictionary(
        (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 }
      ),
      content: request.httpBody.map { String(decoding: $0, as: UTF8.self) })
    let number = requests.withLock { requests in
      requests.append(seen)
      return requests.count - 1
    }
    let (text, status) = try await answer(number, seen).get()
    if Task.isCancelled { throw .cancelled }
    return (Data(text.utf8), status, ["cache-status": "listway; fwd=miss"])
  }

  static func slice(of count: Int, limit: Int, prefetchAt: Int, from start: Int) -> String {
    let rows = start..<min(count, start + limit)
    let next = rows.upperBound < count ? #""next":"\#(rows.upperBound)","prefetchAt":\#(prefetchAt),"# : ""
    return #"""
      {"status":0,"header":{"list":"rows","count":\#(rows.count),"total":\#(count),"pageCount":null,
       "hasMore":\#(!next.isEmpty),\#(next)"stale":false,"age":0,"requestId":"r","warnings":["list_shifted"]},
       "body":[\#(rows.map { #"{"id":\#($0)}"# }.joined(separator: ", "))],"message":"ok"}
      """#
  }

  static func failure(_ error: String, status: Int, more: String = "") -> String {
    #"{"status":\#(status),"header":{"error":"\#(error)",\#(more)"requestId":"r","warnings":[]},"body":null,"message":"no"}"#
  }
}

extension FakeGateway.Seen {
  var cursor: Int? {
    url.firstMatch(of: /[?&]cursor=([0-9]+)/).flatMap { Int($0.1) }
  }
}

struct Row: Decodable, Sendable, Hashable {
  let id: Int
}
