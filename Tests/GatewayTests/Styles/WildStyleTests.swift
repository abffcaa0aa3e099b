import HTTPSemantics
import Synchronization
import Testing

@testable import Gateway

/// Every way to page that is in use somewhere, from configuration to envelope.
@Suite("Paging styles", .timeLimit(.minutes(10)))
struct WildStyleTests {
  @Test(
    "a list of every style is walked whole, in order, whatever its length and the client's limit",
    arguments: WildStyle.counted + WildStyle.led + WildStyle.keyed)
  func walkedWhole(style: WildStyle) throws {
    let upstream = style.upstream()
    let list = Mutex<[Int]>([])
    let harness = try Harness(style.configuration) { request in
      upstream(Asked(request), list.withLock { $0 })
    }
    for count in [0, 1, 19, 20, 21, 40, 57] {
      let ids = style.ids(count)
      list.withLock { $0 = ids }
      for limit in [1, 7, 20, 50] where limit > 1 || count < 25 {
        let before = harness.upstream.requests.count
        var items: [String] = []
        var warnings: Set<String> = []
        var cursor: String?
        repeat {
          let answer = harness.ask("/v1/lists/things?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
          guard answer.status == 200 else {
            Issue.record("\(count) items, limit \(limit): \(answer.text)")
            return
          }
          #expect(answer.items.count <= (style.isWholePages ? max(limit, WildStyle.size) : limit))
          items += answer.items
          warnings.formUnion(answer.warnings.map { String($0.prefix { $0 != ":" }) })
          cursor = answer.next
        } while cursor != nil && harness.upstream.requests.count < before + 500
        let got = items.map(WildStyleTests.id)
        #expect(got == ids, "\(count) items, limit \(limit): \(harness.upstream.urls.suffix(5))")
        #expect(warnings.subtracting(style.allows) == [], "\(count) items, limit \(limit)")
      }
    }
  }

  private static func id(_ item: String) -> Int {
    let digits = item.drop { !$0.isNumber }.prefix(while: \.isNumber)
    return Int(digits) ?? -1
  }
}
