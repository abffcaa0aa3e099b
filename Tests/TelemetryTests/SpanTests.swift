import Foundation
import JSON
import Telemetry
import TestSupport
import Testing

@Suite("Spans")
struct SpanTests {
  private static func span(_ number: UInt64, failure: String? = nil) -> TraceSpan {
    TraceSpan(
      traceID: (0, number), id: number, parentID: number > 1 ? number - 1 : nil, name: "GET \"x\"",
      kind: .server, start: 1_790_000_000_000_000_000, end: 1_790_000_000_000_000_001,
      attributes: [
        .init("http.request.method", .text("GET")), .init("http.response.status_code", .integer(200)),
      ],
      failure: failure)
  }

  @Test("are written as a collector takes them")
  func written() throws {
    let bytes = SpanExposition.write(
      [Self.span(1), Self.span(255, failure: "upstream_fault")],
      resource: [.init("service.name", .text("listway"))])
    let expected = #"""
      {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"listway"}}]},
      "scopeSpans":[{"scope":{"name":"listway"},"spans":[
      {"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"GET \"x\"","kind":2,
      "startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000000000000001",
      "attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}},
      {"key":"http.response.status_code","value":{"intValue":"200"}}],"status":{}},
      {"traceId":"000000000000000000000000000000ff","spanId":"00000000000000ff","parentSpanId":"00000000000000fe",
      "name":"GET \"x\"","kind":2,
      "startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000000000000001",
      "attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}},
      {"key":"http.response.status_code","value":{"intValue":"200"}}],"status":{"code":2,"message":"upstream_fault"}}]}]}]}
      """#
    let tree = try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary
    #expect(tree == (try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary))
  }

  @Test("wait for company, and not longer than two seconds")
  func batches() throws {
    let start = ContinuousClock.now
    var queue = SpanQueue()
    let due = (1...UInt64(SpanQueue.batch)).map { queue.add(Self.span($0), at: start) }
    #expect(due.first == start + .seconds(2))
    #expect(due.dropFirst().dropLast().allSatisfy { $0 == nil })
    #expect(due.last == start)
    let (batch, second) = (queue.take(at: start), queue.take(at: start))
    #expect(batch?.count == SpanQueue.batch)
    #expect(second == nil)
    let next = queue.sent(SpanQueue.batch, at: start)
    #expect(next == nil)
    #expect(queue.sentCount == SpanQueue.batch)
  }

  @Test("of a collector that is gone are dropped, and it is asked less and less often")
  func failing() throws {
    var now = ContinuousClock.now
    var queue = SpanQueue()
    var pauses: [Duration] = []
    for _ in 0..<7 {
      _ = queue.add(Self.span(1), at: now)
      let taken = queue.take(at: now)
      let batch = try #require(taken)
      let due = queue.add(Self.span(2), at: now)
      #expect(due == nil)
      let after = queue.failed(batch.count, at: now)
      let next = try #require(after)
      pauses.append(now.duration(to: next))
      let early = queue.take(at: next - .nanoseconds(1))
      #expect(early == nil)
      now = next
    }
    #expect(pauses == [2, 4, 8, 16, 32, 32, 32].map { .seconds($0) })
  }

  @Test(
    "in any order of events: none is sent twice, none is lost uncounted, and never more than fit are held")
  func model() {
    for seed in 0..<200 {
      var random = SeededRandom(seed: UInt64(seed))
      var queue = SpanQueue()
      var now = ContinuousClock.now
      var (added, delivered, inFlight) = (0, Set<UInt64>(), [TraceSpan]())
      for _ in 0..<2_000 {
        now += .milliseconds(Int.random(in: 0...200, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<7:
          for _ in 0..<Int.random(in: 1...20, using: &random) {
            added += 1
            _ = queue.add(Self.span(UInt64(added)), at: now)
          }
        case 7, 8: if inFlight.isEmpty, let batch = queue.take(at: now) { inFlight = batch }
        default:
          if inFlight.isEmpty { continue }
          if Bool.random(using: &random) {
            for span in inFlight { #expect(delivered.insert(span.traceID.low).inserted) }
            _ = queue.sent(inFlight.count, at: now)
          } else {
            _ = queue.failed(inFlight.count, at: now)
          }
          inFlight = []
        }
        #expect(queue.count <= SpanQueue.capacity)
        #expect(added == queue.sentCount + queue.droppedCount + queue.count + inFlight.count)
      }
      #expect(delivered.count == queue.sentCount)
    }
  }
}
