import Foundation
import HTTPSemantics
import JSON

@testable import Gateway

/// A request as an upstream sees it, taken apart.
struct Asked {
  /// Without the query.
  let path: String
  let query: [String: String]
  let form: [String: String]
  /// The content, where it is a JSON object.
  let json: [String: Any]
  private let fields: Fields

  init(_ request: TransportRequest) {
    let target = request.url.dropFirst("http://127.0.0.1:1".count)
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(halves[0])
    query = Asked.pairs(halves.count > 1 ? String(halves[1]) : "")
    let content = Data(request.content ?? [])
    json = (try? JSONSerialization.jsonObject(with: content)) as? [String: Any] ?? [:]
    form = json.isEmpty ? Asked.pairs(String(decoding: content, as: UTF8.self)) : [:]
    fields = request.fields
  }

  func header(_ name: FieldName) -> String? { fields.combined(name)?.text }

  private static func pairs(_ text: String) -> [String: String] {
    var pairs: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacing("+", with: " ").removingPercentEncoding ?? ""
      }
      pairs[halves[0]] = halves.count > 1 ? halves[1] : ""
    }
    return pairs
  }
}
