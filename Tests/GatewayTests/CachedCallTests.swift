import Foundation
import HTTPSemantics
import Synchronization
import Testing

@testable import Gateway

/// Calls whose answers are kept, and calls to upstreams that want to know who asks.
@Suite("Kept and personal calls", .timeLimit(.minutes(5)))
struct CachedCallTests {
  private static let configuration = """
    upstreams: {erp: {url: "http://erp.example", retries: {attempts: 1}}}
    lists:
      orders: {upstream: erp, paging: {style: whole}, items: {at: "", id: /id}}
    calls:
      rates:
        upstream: erp
        parameters: {of: {required: true}}
        request: {path: /rates, query: {of: "{of}"}}
        answer: {body: /data, absent: empty}
        cache: {fresh: 30s, keep: 1h}
      plain: {upstream: erp, parameters: {of: {}}, request: {path: /plain, query: {of: "{of}"}}}
    screens:
      home: {rates: {call: rates, with: {of: eur}}, plain: {call: plain}}
    """

  private static func harness(_ answer: @escaping @Sendable (Int) -> Harness.Outcome?) throws -> Harness {
    let count = Mutex(0)
    return try Harness(configuration) { _ in
      answer(
        count.withLock {
          $0 += 1
          return $0
        })
    }
  }
  private static func good(_ number: Int) -> Harness.Outcome { .body(#"{"data":{"n":\#(number).10}}"#) }

  @Test("an answer is given again while it is fresh, to those who ask with the same arguments, and no longer")
  func fresh() throws {
    let harness = try Self.harness(Self.good)
    let first = harness.ask("/v1/calls/rates?of=eur")
    #expect(first.text.contains(#""body":{"n":1.10},"message":"ok"}"#))
    #expect(first.fields.value(.cacheControl) == "private, max-age=30")
    harness.clock.advance(by: .seconds(20))
    let again = harness.ask("/v1/calls/rates?of=eur")
    #expect(again.text.contains(#""stale":false,"age":20,"#) && again.text.contains(#"{"n":1.10}"#))
    #expect(again.fields.value(.cacheStatus).hasPrefix("listway; hit"))
    #expect(again.fields.value(.etag) == first.fields.value(.etag))
    #expect(harness.ask("/v1/calls/rates?of=usd").text.contains(#"{"n":2.10}"#))
    #expect(harness.ask("/v1/screens/home").text.contains(#"{"n":1.10}"#))
    harness.clock.advance(by: .seconds(20))
    #expect(harness.ask("/v1/calls/rates?of=eur").text.contains(#"{"n":4.10}"#))
    // Who does not want what is known gets what the upstream has.
    #expect(
      harness.ask("/v1/calls/rates?of=eur", .get, [(.cacheControl, "no-cache")]).text.contains(#"{"n":5.10}"#)
    )
  }

  @Test("nothing is kept of a call that does not say so")
  func plain() throws {
    let harness = try Self.harness(Self.good)
    #expect(harness.ask("/v1/calls/plain").text.contains(#"{"n":1.10}"#))
    let second = harness.ask("/v1/calls/plain")
    #expect(second.text.contains(#"{"n":2.10}"#) && !second.text.contains("\"age\""))
    #expect(second.fields.value(.cacheStatus) == "listway; fwd=bypass")
  }

  @Test("what is kept stands in while the upstream is faulty, and is said to be old")
  func stale() throws {
    let harness = try Self.harness { $0 == 1 ? Self.good(1) : .body("", status: 500) }
    _ = harness.ask("/v1/calls/rates?of=eur")
    harness.clock.advance(by: .seconds(100))
    let answer = harness.ask("/v1/calls/rates?of=eur")
    #expect(answer.status == 200 && answer.text.contains(#""stale":true,"age":100,"#))
    #expect(harness.ask("/v1/calls/rates?of=usd").status == 502)
  }

  @Test(
    "those who ask at once share one request; null and scalars are kept too", arguments: ["null", "7", "{}"])
  func shared(data: String) throws {
    let harness = try Self.harness { _ in nil }
    let exchanges = (0..<5).map { _ in harness.begin("/v1/calls/rates?of=eur") }
    while harness.upstream.requests.isEmpty { usleep(1_000) }
    harness.onLoop {}
    harness.upstream.answerHeld(1, with: .body(#"{"data":\#(data)}"#))
    for exchange in exchanges { #expect(exchange.wait().text.contains(#""body":\#(data),"message"#)) }
    #expect(harness.ask("/v1/calls/rates?of=eur").text.contains(#""body":\#(data),"message"#))
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("a call is made with its client's own credential, and one without is refused")
  func credentials() throws {
    let harness = try Harness(
      """
      upstreams:
        erp: {url: "http://erp.example", session: {each: {header: X-User}, send: {header: X-User}}}
      lists:
        orders:
          upstream: erp
          request: {path: /orders}
          paging: {style: whole}
          items: {at: "", id: /id}
          enrich: {as: user, by: /id, request: {path: /users}, ids: {query: ids}, items: {at: "", id: /id}}
      calls:
        me: {upstream: erp, request: {path: /me}}
        kept: {upstream: erp, request: {path: /kept}, cache: {fresh: 1m}}
      """
    ) { .body(#"[{"id":1,"for":"\#($0.fields.text("X-User") ?? "nobody")"}]"#) }
    for user in ["ann", "bob"] {
      for target in ["/v1/calls/me", "/v1/calls/kept", "/v1/calls/kept"] {
        let answer = harness.ask(target, .get, [("X-User", user)])
        #expect(answer.text.contains(#""for":"\#(user)""#), "\(target) \(answer.text)")
      }
      let list = harness.ask("/v1/lists/orders", .get, [("X-User", user)])
      let item = #"{"id":1,"for":"\#(user)"}"#
      #expect(list.items == [#"{"item":\#(item),"user":\#(item)}"#])
    }
    #expect(harness.upstream.requests.count == 8)
    #expect(harness.ask("/v1/calls/me").status == 401 && harness.ask("/v1/calls/kept").status == 401)
    #expect(harness.upstream.requests.count == 8)
  }
}
