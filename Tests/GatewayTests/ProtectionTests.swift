import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Protection of upstreams", .timeLimit(.minutes(10)))
struct ProtectionTests {
  private static let page = #"{"list":[{"id":1}],"total":1}"#

  private func harness(
    _ keys: String, answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?
  ) throws -> Harness {
    let url = #"{url: "http://127.0.0.1:1/api""#
    return try Harness(pagedConfiguration.replacing("\(url)}", with: "\(url), \(keys)}"), answer: answer)
  }

  private func wait(_ what: Comment, until condition: () -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 15)
    while !condition() {
      try #require(Date() < deadline, what)
      usleep(1_000)
    }
  }

  // MARK: The queue

  @Test("no more than may be under way at once, the others in turn, and one more than may wait is refused")
  func queue() throws {
    let harness = try harness("queue: {concurrent: 2, waiting: 3}") { _ in nil }
    let exchanges = (0..<5).map { harness.begin("/v1/lists/items?word=\($0)") }
    let refused = harness.ask("/v1/lists/items")
    #expect(refused.status == 503)
    #expect(refused.header["error"] as? String == "overloaded")
    #expect(refused.envelope["status"] as? Int == -12)
    #expect(refused.fields.text(.retryAfter) == "1")
    for round in 1...5 {
      try wait("the next in turn") { harness.upstream.requests.count == min(5, round + 1) }
      harness.upstream.answerHeld(1, with: .body(Self.page))
    }
    #expect(exchanges.map { $0.wait().status } == [200, 200, 200, 200, 200])
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_upstream_refused_total{upstream="shop",reason="full"} 1"#))
  }

  @Test("a client that goes away while it waits is never sent for, and keeps no place")
  func abandonedInQueue() throws {
    let harness = try harness("queue: {concurrent: 1, waiting: 1}") { _ in nil }
    let first = harness.begin("/v1/lists/items?word=a")
    let second = harness.begin("/v1/lists/items?word=b")
    try wait("one is under way") { harness.upstream.requests.count == 1 }
    harness.hangUp(second)
    let third = harness.begin("/v1/lists/items?word=c")
    harness.upstream.answerHeld(1, with: .body(Self.page))
    #expect(first.wait().status == 200)
    try wait("the third is under way") { harness.upstream.requests.count == 2 }
    harness.upstream.answerHeld(1, with: .body(Self.page))
    #expect(third.wait().status == 200)
    #expect(second.answerCount == 0)
  }

  @Test("a turn that does not come before the deadline is a timeout")
  func deadlineInQueue() throws {
    let harness = try harness("queue: {concurrent: 1}, timeout: {total: 100ms}") { _ in nil }
    let first = harness.begin("/v1/lists/items?word=a")
    let second = harness.ask("/v1/lists/items?word=b")
    #expect(second.header["error"] as? String == "upstream_timeout")
    harness.hangUp(first)
  }

  @Test("the rate is kept to")
  func rate() throws {
    let harness = try harness("rate: {requests: 1, per: 1h}, timeout: {total: 200ms}") { _ in .body(Self.page)
    }
    #expect(harness.ask("/v1/lists/items?word=a").status == 200)
    let limited = harness.ask("/v1/lists/items?word=b")
    #expect(limited.status == 429)
    #expect(limited.header["error"] as? String == "rate_limited")
    #expect(Int(limited.fields.text(.retryAfter) ?? "").map { (3_590...3_600).contains($0) } == true)
    #expect(harness.upstream.requests.count == 1)
  }

  // MARK: Reachability

  @Test("when it is gone, what is under way ends at once, what waits goes on when it is back")
  func suspension() throws {
    let isGone = Countdown(1)
    let harness = try harness(
      "queue: {concurrent: 8, wait: 10s}, reachability: {probe: none, every: 20ms, fall: 1}, retries: {attempts: 1}"
    ) { request in
      if request.url.contains("w=slow") { return nil }
      return isGone.tick() ? .failed(.noRoute) : .body(Self.page)
    }
    let slow = harness.begin("/v1/lists/items?word=slow")
    try wait("it is under way") { harness.upstream.requests.count == 1 }
    #expect(harness.ask("/v1/lists/items").header["error"] as? String == "upstream_unreachable")
    let ended = slow.wait()
    #expect(ended.status == 503)
    #expect(ended.header["error"] as? String == "upstream_unreachable")
    #expect(ended.fields.text(.retryAfter) == "1")
    #expect(harness.upstream.cancelled == 1)
    // The trial that is let in is answered.
    #expect(harness.ask("/v1/lists/items").status == 200)
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"_changes_total{upstream="shop",state="down",reason="traffic"} 1"#))
    #expect(figures.contains(#"_changes_total{upstream="shop",state="up",reason="traffic"} 1"#))
  }

  @Test("a probe that finds it again lets everybody in who waits, by a ramp")
  func resumption() throws {
    let harness = try harness(
      "queue: {concurrent: 4, wait: 10s}, reachability: {every: 1s, fall: 1}, retries: {attempts: 1}"
    ) { _ in nil }
    harness.upstream.setThere(false)
    let first = harness.begin("/v1/lists/items")
    try wait("it is under way") { harness.upstream.requests.count == 1 }
    harness.upstream.answerHeld(1, with: .failed(.connect))
    #expect(first.wait().status == 503)
    let waiting = (0..<9).map { harness.begin("/v1/lists/items?word=\($0)") }
    try wait("it is looked for") { harness.upstream.probes > 0 }
    harness.upstream.setThere(true)
    var widths: [Int] = []
    var seen = 1
    while widths.reduce(0, +) < 9 {
      try wait("the next are let in") { harness.upstream.requests.count > seen }
      usleep(20_000)
      let count = harness.upstream.requests.count - seen
      widths.append(count)
      seen += count
      harness.upstream.answerHeld(count, with: .body(Self.page))
    }
    #expect(widths.allSatisfy { $0 <= 4 } && widths[0] == 1)
    #expect(waiting.allSatisfy { $0.wait().status == 200 })
  }

  @Test("with nothing known, a request waits so long for it and is told when it is looked for again")
  func waitsForNothing() throws {
    let harness = try harness(
      "queue: {wait: 50ms}, reachability: {every: 1h, fall: 1}, retries: {attempts: 1}"
    ) { _ in .failed(.nameResolution) }
    #expect(harness.ask("/v1/lists/items").status == 503)
    harness.upstream.setThere(false)
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.header["error"] as? String == "upstream_unreachable")
    #expect(answer.envelope["status"] as? Int == -1)
    #expect(answer.fields.text(.retryAfter) == "1")
    #expect(answer.fields.text(.proxyStatus) == #"listway; error=destination_unavailable; next-hop="shop""#)
    #expect(harness.upstream.requests.count == 1)
    #expect(harness.ask("/readyz").status == 200)
    #expect(harness.ask("/healthz").text.contains("unreachable, as shown by traffic"))
    let status = harness.ask("/status", listener: .admin).text
    #expect(status.contains(#""state":"unreachable","reason":"traffic""#))
  }

  // MARK: Retries

  @Test("what may go better is made again, within its attempts", arguments: [429, 502, 503, 504])
  func retries(status: Int) throws {
    let failures = Countdown(2)
    let harness = try harness("retries: {base: 1ms}") { _ in
      failures.tick() ? .body("{}", status: status) : .body(Self.page)
    }
    #expect(harness.ask("/v1/lists/items").status == 200)
    #expect(harness.upstream.requests.count == 3)
    let ids = Set(harness.upstream.requests.compactMap { $0.fields.text(.xRequestID) })
    #expect(ids.count == 1)
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_upstream_retries_total{upstream="shop"} 2"#))
  }

  @Test(
    "what will not, or only after too long, is not",
    arguments: [(500, nil), (404, nil), (503, "60"), (429, "60")]
      as [(Int, String?)])
  func noRetry(status: Int, retryAfter: String?) throws {
    let fields: [(FieldName, String)] = retryAfter.map { [(.retryAfter, $0)] } ?? []
    let harness = try harness("retries: {base: 1ms}") { _ in .body("{}", status: status, fields: fields) }
    #expect(harness.ask("/v1/lists/items").status != 200)
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("a short Retry-After is waited for, by the others too")
  func retryAfter() throws {
    let failures = Countdown(1)
    let harness = try harness("retries: {base: 1ms}") { _ in
      failures.tick() ? .body("{}", status: 429, fields: [(.retryAfter, "1")]) : .body(Self.page)
    }
    let start = ContinuousClock.now
    let first = harness.begin("/v1/lists/items")
    try wait("it was asked") { harness.upstream.requests.count == 1 }
    usleep(50_000)
    let second = harness.begin("/v1/lists/items?word=b")
    #expect(first.wait().status == 200 && second.wait().status == 200)
    #expect(start.duration(to: .now) >= .seconds(1))
    #expect(harness.upstream.requests.count == 3)
  }

  @Test("a limit that is announced as used up is not run into")
  func announced() throws {
    let harness = try harness("timeout: {total: 300ms}") { _ in
      .body(
        Self.page,
        fields: [("X-RateLimit-Limit", "10"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "60")])
    }
    #expect(harness.ask("/v1/lists/items?word=a").status == 200)
    let limited = harness.ask("/v1/lists/items?word=b")
    #expect(limited.header["error"] as? String == "rate_limited")
    #expect(limited.fields.text(.retryAfter) == "10")
    #expect(harness.upstream.requests.count == 1)
  }

  // MARK: The breaker

  @Test("an upstream that answers badly is left alone for a while, and tried by one request")
  func breaker() throws {
    let failures = Countdown(4)
    let harness = try harness("breaker: {volume: 4, pause: 300ms}, retries: {attempts: 1}") { _ in
      failures.tick() ? .body("oops", status: 500) : .body(Self.page)
    }
    for _ in 0..<4 { #expect(harness.ask("/v1/lists/items").status == 502) }
    let rejected = harness.ask("/v1/lists/items")
    #expect(rejected.status == 502)
    #expect(rejected.header["error"] as? String == "upstream_fault")
    #expect(rejected.fields.text(.retryAfter) == "1")
    #expect(harness.upstream.requests.count == 4)
    #expect(harness.ask("/healthz").envelope["status"] as? String == "warn")
    usleep(350_000)
    #expect(harness.ask("/v1/lists/items").status == 200)
    #expect(harness.ask("/healthz").envelope["status"] as? String == "pass")
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_breaker_changes_total{upstream="shop",state="open"} 1"#))
    #expect(figures.contains(#"listway_upstream_refused_total{upstream="shop",reason="circuit_open"} 1"#))
  }

  @Test(
    "an answer that only says that all is well counts as faulty",
    arguments: ["<html><body>Sorry</body></html>", #"{"list":[{"id":1}"#, ""])
  func faultyContent(body: String) throws {
    let harness = try harness("breaker: {volume: 4, pause: 1h}, retries: {attempts: 1}") { _ in .body(body) }
    for _ in 0..<4 { #expect(harness.ask("/v1/lists/items").status == 502) }
    #expect(harness.ask("/v1/lists/items").fields.text(.retryAfter) == "3600")
    #expect(harness.upstream.requests.count == 4)
  }

  @Test("an answer that is only not what was expected, or a refusal, does not")
  func unexpectedContent() throws {
    let harness = try harness("breaker: {volume: 4, pause: 1h}, retries: {attempts: 1}") { request in
      request.url.contains("/others") ? .body("{}", status: 403) : .body(#"{"other":1}"#)
    }
    for _ in 0..<6 {
      #expect(harness.ask("/v1/lists/items").header["error"] as? String == "upstream_shape")
      #expect(harness.ask("/v1/lists/others").status == 422)
    }
    #expect(harness.upstream.requests.count == 12)
  }

  @Test("a trial does not rely on a connection from before")
  func trialConnection() throws {
    let isGone = Countdown(1)
    let harness = try harness(
      "queue: {wait: 10s}, reachability: {probe: none, every: 20ms, fall: 1}, retries: {attempts: 1}"
    ) { _ in isGone.tick() ? .failed(.noRoute) : .body(Self.page) }
    for status in [503, 200, 200] { #expect(harness.ask("/v1/lists/items").status == status) }
    #expect(harness.upstream.requests.map(\.needsNewConnection) == [false, true, false])
  }
}
