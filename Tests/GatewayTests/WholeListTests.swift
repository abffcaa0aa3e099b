import Foundation
import HTTPSemantics
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// A streamed answer: its lines, the last one apart.
struct Streamed {
  let items: [String]
  let outcome: [String: Any]
  let outcomeLine: String

  init(_ answer: Answered) throws { try self.init(answer.text) }

  init(_ text: String) throws {
    #expect(text.hasSuffix("\n"))
    let lines = text.components(separatedBy: "\n").dropLast()
    outcomeLine = try #require(lines.last)
    items = Array(lines.dropLast())
    outcome = try #require(try JSONSerialization.jsonObject(with: Data(outcomeLine.utf8)) as? [String: Any])
  }

  var header: [String: Any] { outcome["header"] as? [String: Any] ?? [:] }
  var status: Int? { outcome["status"] as? Int }
  var count: Int? { header["count"] as? Int }
  var isComplete: Bool? { header["complete"] as? Bool }
  var next: String? { header["next"] as? String }
  var error: String? { header["error"] as? String }
}

@Suite("Whole lists", .timeLimit(.minutes(10)))
struct WholeListTests {
  private func harness(_ list: PagedList, _ configuration: String = pagedConfiguration) throws -> Harness {
    try Harness(configuration) { list.answer(to: $0.url) }
  }

  /// Answers as `list`, but what `faults` has for a page's number first, once each.
  private func harness(_ list: PagedList, faults: [Int: [Harness.Outcome]]) throws -> Harness {
    let left = Mutex(faults)
    let url = #"{url: "http://127.0.0.1:1/api""#
    let once = pagedConfiguration.replacing("\(url)}", with: "\(url), retries: {attempts: 1}}")
    return try Harness(once) { request in
      let page =
        request.url.components(separatedBy: "page=").last.flatMap { Int($0.prefix { $0 != "&" }) } ?? 0
      let fault = left.withLock { left -> Harness.Outcome? in
        guard var faults = left[page], !faults.isEmpty else { return nil }
        defer { left[page] = faults }
        return faults.removeFirst()
      }
      return fault ?? list.answer(to: request.url)
    }
  }

  private func page(_ number: Int) -> String { "http://127.0.0.1:1/api/items?page=\(number)&size=20" }

  @Test(
    "every item comes once, in order and byte for byte, and the last line says that this was all",
    arguments: [0, 1, 19, 20, 21, 57, 400])
  func whole(count: Int) throws {
    let list = PagedList(count: count)
    let harness = try harness(list)
    let answer = harness.ask("/v1/lists/items/all")
    #expect(answer.status == 200)
    #expect(answer.fields.text(.contentType) == "application/x-ndjson")
    #expect(answer.fields.text(.cacheControl) == "no-store")
    let streamed = try Streamed(answer)
    #expect(streamed.items == list.items)
    #expect(streamed.status == 0 && streamed.count == count && streamed.isComplete == true)
    #expect(streamed.next == nil && streamed.error == nil)
    #expect(streamed.header["total"] as? Int == count)
    #expect(streamed.header["requestId"] as? String == answer.fields.text(.xRequestID))
    #expect(
      streamed.outcomeLine.hasPrefix(
        #"{"status":0,"header":{"list":"items","count":\#(count),"total":\#(count),"pageCount":"#))
    #expect(streamed.outcomeLine.hasSuffix(#""warnings":[]},"body":null,"message":"ok"}"#))
    // No page is asked for twice; where the last one is full, one more shows that it was the last.
    #expect(harness.upstream.urls == (1...(count / 20 + 1)).map(page))
  }

  @Test("without a total the end is found where the pages end")
  func withoutTotal() throws {
    for count in [0, 20, 57, 60] {
      let list = PagedList(count: count, total: "null")
      #expect(try Streamed(harness(list).ask("/v1/lists/items/all")).items == list.items)
    }
  }

  @Test(
    "a total that lies neither cuts the list nor doubles an item", arguments: ["3", "9999", "-1", "\"57\""])
  func lyingTotal(total: String) throws {
    let list = PagedList(count: 57, total: total)
    let streamed = try Streamed(harness(list).ask("/v1/lists/items/all"))
    #expect(streamed.items == list.items && streamed.isComplete == true)
  }

  @Test("an item is a line, whatever white space and escapes are in it")
  func lineBreaks() throws {
    let items = [
      "{\"id\":1,\r\n \"a\":\"\\n\\r\\u000a\u{2028}\"}", "{\n\n\"id\":2\r}",
      "{\"id\":3,\"b\":[\n1 ,\n2\n]\n}",
    ]
    let harness = try Harness(pagedConfiguration) { _ in
      .body("{\"list\":[\r\n\(items.joined(separator: "\n,\r\n"))\r\n],\"total\":3}")
    }
    let streamed = try Streamed(harness.ask("/v1/lists/items/all"))
    #expect(
      streamed.items == items.map { $0.replacing("\r\n", with: "  ").replacing(/[\n\r]/, with: " ") })
    for (line, item) in zip(streamed.items, items) {
      #expect(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
          == JSONSerialization.jsonObject(with: Data(item.utf8)) as? NSDictionary)
    }
  }

  @Test(
    "a cursor that no request line has room for is a fault, told in the last line; a walk to the end needs none"
  )
  func longCursor() throws {
    let configuration = """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items:
          upstream: api
          request: {path: /}
          paging: {style: token, token: {query: t}}
          items: {at: /list, id: /id}
          says: {next: /next}
      """
    let token = String(repeating: "t", count: 7_900)
    let harness = try Harness(configuration) { request in
      request.url.contains("t=t")
        ? .body(#"{"list":[{"id":3}]}"#) : .body(#"{"list":[{"id":1},{"id":2}],"next":"\#(token)"}"#)
    }
    let cut = try Streamed(harness.ask("/v1/lists/items/all?limit=2"))
    #expect(cut.items == [#"{"id":1}"#, #"{"id":2}"#] && cut.count == 2)
    #expect(cut.status == -2 && cut.error == "upstream_fault" && cut.isComplete == false && cut.next == nil)
    let within = try Streamed(harness.ask("/v1/lists/items/all?limit=1"))
    #expect(within.status == 0 && within.next != nil)
    #expect(try Streamed(harness.ask("/v1/lists/items/all")).isComplete == true)
  }

  @Test("an item that looks like an outcome is an item: the outcome is the last line")
  func impostor() throws {
    let impostor = #"{"status":0,"header":{"complete":true},"body":null,"message":"ok"}"#
    let harness = try Harness(pagedConfiguration.replacing("id: /id", with: "id: /status")) { _ in
      .body(#"{"list":[\#(impostor)],"total":1}"#)
    }
    let streamed = try Streamed(harness.ask("/v1/lists/items/all"))
    #expect(streamed.items == [impostor] && streamed.count == 1)
  }

  @Test(
    "empty pages in the middle are stepped over, more of them than one slice would; a list of them alone ends"
  )
  func emptyPages() throws {
    let configuration = """
      upstreams:
        shop: {url: "http://127.0.0.1:1"}
      lists:
        items:
          upstream: shop
          request: {path: /items}
          paging: {style: token, token: {query: t}}
          items: {at: /list, id: /id}
          says: {next: /next}
      """
    @Sendable func answer(_ request: TransportRequest, itemsAt pages: Set<Int>, last: Int) -> Harness.Outcome
    {
      let number = request.url.components(separatedBy: "t=").dropFirst().first.flatMap { Int($0) } ?? 0
      let item = pages.contains(number) ? "{\"id\":\(number)}" : ""
      return .body(#"{"list":[\#(item)],"next":\#(number < last ? "\"\(number + 1)\"" : "null")}"#)
    }
    let sparse = try Harness(configuration) { answer($0, itemsAt: [0, 40, 41], last: 70) }
    let streamed = try Streamed(sparse.ask("/v1/lists/items/all"))
    #expect(streamed.items == ["{\"id\":0}", "{\"id\":40}", "{\"id\":41}"] && streamed.isComplete == true)
    #expect(streamed.header["warnings"] as? [String] == ["empty_page_skipped:67"])
    #expect(sparse.upstream.requests.count == 71)

    let endless = try Harness(configuration) { answer($0, itemsAt: [0], last: 10_000) }
    let stopped = try Streamed(endless.ask("/v1/lists/items/all"))
    #expect(stopped.items == ["{\"id\":0}"])
    #expect((stopped.header["warnings"] as? [String])?.contains("loop_stopped") == true)
    #expect(endless.upstream.requests.count < 200)
  }

  // MARK: Limits and cursors

  @Test(
    "with a limit the stream ends behind so many items, and goes on from its cursor",
    arguments: [1, 7, 20, 33, 57, 80])
  func limited(limit: Int) throws {
    let list = PagedList(count: 57)
    let harness = try harness(list)
    var items: [String] = []
    var cursor: String?
    for _ in 0..<60 {
      let streamed = try Streamed(
        harness.ask("/v1/lists/items/all?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? "")))
      #expect(streamed.status == 0 && streamed.items.count <= limit)
      #expect(streamed.isComplete == (streamed.next == nil))
      items += streamed.items
      cursor = streamed.next
      if cursor == nil { break }
    }
    #expect(items == list.items)
  }

  @Test("the cursors of slices and of streams go on in each other")
  func sharedCursors() throws {
    let list = PagedList(count: 57)
    let harness = try harness(list)
    let slice = try #require(harness.ask("/v1/lists/items?limit=13").next)
    let first = try Streamed(harness.ask("/v1/lists/items/all?limit=9&cursor=\(slice)"))
    #expect(first.items == Array(list.items[13..<22]))
    let next = try #require(first.next)
    #expect(harness.ask("/v1/lists/items?limit=5&cursor=\(next)").items == Array(list.items[22..<27]))
  }

  // MARK: Failures

  @Test("a failure before the first item is an ordinary answer with its status")
  func failsAtOnce() throws {
    let list = PagedList(count: 57)
    let harness = try harness(list, faults: [1: [.failed(.connect), .body("<html>", status: 500)]])
    let unreachable = harness.ask("/v1/lists/items/all")
    #expect(unreachable.status == 503 && unreachable.header["error"] as? String == "upstream_unreachable")
    #expect(unreachable.fields.text(.contentType) == "application/json")
    #expect(harness.ask("/v1/lists/items/all", .get, [(.accept, "application/problem+json")]).status == 502)
    #expect(harness.ask("/v1/lists/items/all?category=x").status == 400)
    #expect(harness.ask("/v1/lists/items/all?limit=0").status == 400)
    #expect(harness.ask("/v1/lists/items/all?cursor=x").header["error"] as? String == "invalid_cursor")
    #expect(harness.ask("/v1/lists/nothing/all").status == 404)
    #expect(harness.ask("/v1/lists/items/every").status == 404)
    #expect(harness.ask("/v1/lists/items/all/more").status == 404)
    let post = harness.ask("/v1/lists/items/all", .post)
    #expect(post.status == 405 && post.fields.text(.allow) == "GET, HEAD")
  }

  @Test(
    "a failure in the middle is told by the last line, and its cursor goes on exactly there",
    arguments: [2, 3])
  func failsInTheMiddle(number: Int) throws {
    let list = PagedList(count: 57)
    let harness = try harness(list, faults: [number: [.failed(.timeout), .body("{}", status: 503)]])
    var streamed = try Streamed(harness.ask("/v1/lists/items/all", .get, [(.acceptLanguage, "zh")]))
    var items = streamed.items
    #expect(streamed.status == -5 && streamed.error == "upstream_timeout" && streamed.isComplete == false)
    #expect(streamed.count == (number - 1) * 20 && streamed.items.count == streamed.count)
    #expect(streamed.outcome["message"] as? String == "服务器响应超时，请重试")
    #expect(streamed.outcome["body"] is NSNull)
    // Nothing came yet: a failure before the first item, and the cursor is as good as before.
    let cursor = try #require(streamed.next)
    #expect(harness.ask("/v1/lists/items/all?cursor=\(cursor)").status == 502)
    streamed = try Streamed(harness.ask("/v1/lists/items/all?cursor=\(cursor)"))
    items += streamed.items
    #expect(items == list.items && streamed.isComplete == true)
  }

  @Test("the upstream's own refusal and its wish to be left alone are passed on in the last line")
  func refusals() throws {
    let list = PagedList(count: 57)
    let harness = try harness(
      list,
      faults: [
        2: [.body("{}", status: 429, fields: [(.retryAfter, "1")]), .body("{}", status: 403)]
      ])
    let limited = try Streamed(harness.ask("/v1/lists/items/all"))
    #expect(limited.status == -11 && limited.header["retryAfter"] as? Int == 1)
    let refused = try Streamed(harness.ask("/v1/lists/items/all?debug=1"))
    #expect(refused.status == -4 && refused.header["upstreamCode"] as? String == "403")
    #expect(refused.header["text"] as? String == "{}")
  }

  @Test("each page has the upstream's time anew")
  func deadlines() throws {
    let harness = try harness(PagedList(count: 57))
    _ = harness.ask("/v1/lists/items/all")
    let deadlines = harness.upstream.requests.map(\.deadline)
    #expect(deadlines.count == 3 && Set(deadlines).count == 3 && deadlines == deadlines.sorted())
  }

  @Test("HEAD tells what GET would say of itself, and asks for one page")
  func head() throws {
    let harness = try harness(PagedList(count: 57), faults: [1: [.failed(.connect)]])
    #expect(harness.ask("/v1/lists/items/all", .head).status == 503)
    let answer = harness.ask("/v1/lists/items/all", .head)
    #expect(answer.status == 200 && answer.fields.text(.contentType) == "application/x-ndjson")
    #expect(answer.content.isEmpty)
    #expect(harness.upstream.urls == [page(1), page(1)])
  }

  @Test("streams are counted, with their items")
  func figures() throws {
    let harness = try harness(PagedList(count: 57), faults: [3: [.failed(.connect)]])
    _ = harness.ask("/v1/lists/items/all")
    _ = harness.ask("/v1/lists/items/all")
    let text = harness.ask("/metrics", listener: .admin).text
    #expect(text.contains(#"listway_streamed_items_total{list="items"} 97"#))
    #expect(
      text.contains(#"listway_requests_total{list="items",status="upstream_unreachable",cache="none"} 1"#))
    #expect(text.contains(#"listway_requests_total{list="items",status="ok",cache="miss"} 1"#))
  }

  // MARK: Back-pressure

  @Test("a page is asked for when the one before has been taken, and no page is held beside it")
  func backPressure() throws {
    struct WeakBytes: Sendable { weak var bytes: Bytes? }
    let list = PagedList(count: 1_990)
    let bodies = Mutex<[WeakBytes]>([])
    let most = Atomic<Int>(0)
    let notKept = pagedConfiguration.replacing(
      "    maxLimit: 100\n", with: "    maxLimit: 100\n    cache: {keep: 0s}\n", maxReplacements: 1)
    let harness = try Harness(notKept) { request in
      let outcome = list.answer(to: request.url)
      bodies.withLock { bodies in
        most.max(bodies.count { $0.bytes != nil }, ordering: .relaxed)
        if case .success(let response) = outcome { bodies.append(WeakBytes(bytes: response.body)) }
      }
      return outcome
    }
    let exchange = harness.begin("/v1/lists/items/all", takesAll: false)
    let asked = { bodies.withLock { $0.count } }
    for number in 1...100 {
      // The page before has been taken, so this one comes, and no other.
      let deadline = Date(timeIntervalSinceNow: 20)
      while (exchange.streamed?.lineCount ?? 0) < min(list.count, 20 * number) {
        try #require(Date() < deadline)
        usleep(200)
      }
      harness.onLoop {}
      #expect(asked() == number)
      harness.onLoop { exchange.streamed?.take() }
    }
    #expect(try Streamed(exchange.wait()).items == list.items)
    // When a page is asked for, none of the earlier ones is there any more.
    #expect(most.load(ordering: .relaxed) == 0)
  }

  @Test("a client that goes away ends the walk, and what is under way upstream", arguments: [true, false])
  func hangUp(isWaitingForUpstream: Bool) throws {
    let list = PagedList(count: 57)
    let harness = try Harness(pagedConfiguration) { request in
      isWaitingForUpstream && request.url == self.page(2) ? nil : list.answer(to: request.url)
    }
    let exchange = harness.begin("/v1/lists/items/all", takesAll: isWaitingForUpstream)
    while exchange.streamed == nil || harness.upstream.urls.count < (isWaitingForUpstream ? 2 : 1) {
      usleep(200)
    }
    harness.hangUp(exchange)
    harness.onLoop {}
    #expect(exchange.answerCount == 0)
    #expect(harness.upstream.urls.count == (isWaitingForUpstream ? 2 : 1))
    #expect(harness.upstream.cancelled == (isWaitingForUpstream ? 1 : 0))
    #expect(
      harness.ask("/metrics", listener: .admin).text.contains(
        #"listway_requests_abandoned_total{list="items"} 1"#))
  }

  // MARK: The end of the process

  @Test("a process that stops ends its streams with a cursor to go on from", arguments: [true, false])
  func drain(isWaitingForUpstream: Bool) throws {
    let list = PagedList(count: 57)
    let isSlow = Atomic<Bool>(true)
    let harness = try Harness(pagedConfiguration) { request in
      isWaitingForUpstream && request.url == self.page(2) && isSlow.load(ordering: .relaxed)
        ? nil : list.answer(to: request.url)
    }
    let exchange = harness.begin("/v1/lists/items/all", takesAll: isWaitingForUpstream)
    while exchange.streamed == nil || harness.upstream.urls.count < (isWaitingForUpstream ? 2 : 1) {
      usleep(200)
    }
    harness.drain()
    if !isWaitingForUpstream { harness.onLoop { exchange.streamed?.take() } }
    let first = try Streamed(exchange.wait())
    #expect(first.status == -12 && first.error == "overloaded" && first.isComplete == false)
    #expect(first.items == Array(list.items[..<20]) && first.count == 20)
    isSlow.store(false, ordering: .relaxed)
    // The same process would end it again, page by page.
    let rest = harness.ask("/v1/lists/items/all?cursor=\(try #require(first.next))")
    #expect(try Streamed(rest).items == Array(list.items[20..<40]))
  }
}
