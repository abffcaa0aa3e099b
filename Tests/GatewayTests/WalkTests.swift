import Foundation
import HTTPSemantics
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// What must hold of walks as clients make them, where hand-written paging goes wrong.
@Suite("Walks", .timeLimit(.minutes(10)))
struct WalkTests {
  private func walk(
    _ harness: Harness, limit: Int = 20, from cursor: String? = nil, extra: String = ""
  ) -> [String] {
    var items: [String] = []
    var cursor = cursor
    repeat {
      let answer = harness.ask(
        "/v1/lists/items?limit=\(limit)\(extra)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      items += answer.items
      cursor = answer.next
    } while cursor != nil
    return items
  }

  // MARK: Moving on

  @Test("the same cursor asked twice at once gives the same slice twice, and each leads on to the next one")
  func twice() throws {
    let list = PagedList(count: 57)
    let harness = try Harness(pagedConfiguration) { list.answer(to: $0.url) }
    let cursor = try #require(harness.ask("/v1/lists/items?limit=7").next)
    let exchanges = (0..<4).map { _ in harness.begin("/v1/lists/items?limit=7&cursor=\(cursor)") }
    for exchange in exchanges {
      let answer = exchange.wait()
      #expect(answer.items == Array(list.items[7..<14]))
      #expect(walk(harness, limit: 7, from: answer.next) == Array(list.items[14...]))
    }
  }

  @Test("a walk that is begun anew does not disturb one under way")
  func twoWalks() throws {
    let count = Mutex(57)
    let harness = try Harness(pagedConfiguration) { request in
      PagedList(count: count.withLock { $0 }).answer(to: request.url)
    }
    let old = try #require(harness.ask("/v1/lists/items?limit=20").next)
    count.withLock { $0 = 75 }
    let new = walk(harness, limit: 33)
    #expect(new == PagedList(count: 75).items)
    #expect(walk(harness, from: old) == Array(PagedList(count: 75).items[20...]))
  }

  @Test("a request that ran out of time upstream is asked again by its cursor, and gives no item twice")
  func retriedAfterTimeout() throws {
    let list = PagedList(count: 57)
    let seen = Mutex<Set<String>>([])
    let harness = try Harness(pagedConfiguration) { request in
      // The upstream did serve it; only the answer was lost.
      let isNew = seen.withLock { $0.insert(request.url).inserted }
      return isNew && request.url.contains("page=2") ? .failed(.timeout) : list.answer(to: request.url)
    }
    var items: [String] = []
    var cursor: String?
    var failures = 0
    repeat {
      let answer = harness.ask("/v1/lists/items?limit=20" + (cursor.map { "&cursor=\($0)" } ?? ""))
      if answer.status != 200 {
        failures += 1
        continue
      }
      items += answer.items
      cursor = answer.next
      if cursor == nil { break }
    } while failures < 5
    #expect(failures == 1 && items == list.items)
  }

  @Test("an item that is bumped to the top repeats no other, and the list is said to have moved")
  func bumped() throws {
    let ids = Mutex(Array(0..<57))
    let harness = try Harness(pagedConfiguration) { request in
      let page = Int(request.url.split(separator: "page=")[1].prefix { $0 != "&" })!
      return ids.withLock { ids in
        .body(
          #"{"list":[\#(ids.page(from: (page - 1) * 20).map(PagedList.item).joined(separator: ","))],"total":57}"#
        )
      }
    }
    let first = harness.ask("/v1/lists/items?limit=20")
    ids.withLock { ids in ids.insert(ids.remove(at: 10), at: 0) }
    ids.withLock { ids in ids.insert(ids.remove(at: 50), at: 0) }
    let second = harness.ask("/v1/lists/items?limit=20&cursor=\(try #require(first.next))")
    #expect(second.warnings.contains("list_shifted"))
    let rest = walk(harness, from: second.next)
    let all = first.items + second.items + rest
    #expect(Set(all).count == all.count && all.count == 56)
  }

  // MARK: The end

  @Test("an offset beyond what the upstream allows is its refusal, and no end", arguments: ["eq", "gte"])
  func cappedOffsets(relation: String) throws {
    let harness = try Harness(
      """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items:
          upstream: api
          paging: {style: offset, offset: {query: from}, size: {query: size, value: 20}}
          items: {at: /hits/hits, id: /id}
          says: {total: /hits/total}
      """
    ) { request in
      let from = Int(Asked(request).query["from"]!)!
      if from + 20 > 100 { return .body(#"{"error":"Result window is too large"}"#, status: 400) }
      let total = relation == "gte" ? #"{"value":100,"relation":"gte"}"# : "5000"
      return .body(
        #"{"hits":{"total":\#(total),"hits":[\#((from..<from + 20).map(PagedList.item).joined(separator: ","))]}}"#
      )
    }
    var cursor: String?
    for _ in 0..<5 {
      let answer = harness.ask("/v1/lists/items?limit=20" + (cursor.map { "&cursor=\($0)" } ?? ""))
      #expect(answer.status == 200 && answer.items.count == 20)
      cursor = answer.next
    }
    let answer = harness.ask("/v1/lists/items?limit=20&cursor=\(try #require(cursor))")
    #expect(answer.status == 422 && answer.header["error"] as? String == "upstream_refused")
  }

  @Test("a token that the upstream has let expire is an expired cursor, for which the client starts anew")
  func expired() throws {
    let isOld = Mutex(false)
    let harness = try Harness(
      """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items:
          upstream: api
          paging: {style: token, token: {query: continue}, size: {query: limit, value: 2}}
          items: {at: /items, id: /id}
          says: {next: /metadata/continue}
      """
    ) { request in
      let isFirst = Asked(request).query["continue"] == nil
      if isOld.withLock({ $0 }), !isFirst {
        return .body(#"{"kind":"Status","status":"Failure","reason":"Expired","code":410}"#, status: 410)
      }
      return .body(
        #"{"items":\#(isFirst ? "[{\"id\":1},{\"id\":2}]" : "[{\"id\":3}]"),"metadata":{"continue":"\#(isFirst ? "c" : "")"}}"#
      )
    }
    let cursor = try #require(harness.ask("/v1/lists/items?limit=2").next)
    #expect(harness.ask("/v1/lists/items?limit=2&cursor=\(cursor)").items == [#"{"id":3}"#])
    isOld.withLock { $0 = true }
    let answer = harness.ask("/v1/lists/items?limit=2&cursor=\(cursor)")
    #expect(answer.status == 410 && answer.envelope["status"] as? Int == -7)
    #expect(answer.header["error"] as? String == "cursor_expired")
    // Within one slice the items that came are given, and the next one tells.
    let slice = harness.ask("/v1/lists/items?limit=20")
    #expect(slice.items.count == 2)
    #expect(harness.ask("/v1/lists/items?limit=20&cursor=\(try #require(slice.next))").status == 410)
  }

  // MARK: What is sent

  @Test(
    "a token goes back exactly as it came, whatever is in it",
    arguments: ["a+b/c==", "%2B", "a b", "a&b=c", "é☕️", "\"'<>", "#?", "🙂%F0%9F"])
  func exactTokens(token: String) throws {
    let sent = Mutex<[String]>([])
    let harness = try Harness(
      """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items:
          upstream: api
          paging: {style: token, token: {query: t}}
          items: {at: /items, id: /id}
          says: {next: /next}
      """
    ) { request in
      let asked = Asked(request)
      guard let token = asked.query["t"] else {
        let quoted = token.replacing("\"", with: "\\\"")
        return .body(#"{"items":[{"id":1}],"next":"\#(quoted)"}"#)
      }
      sent.withLock { $0.append(token) }
      return .body(#"{"items":[{"id":2}],"next":null}"#)
    }
    #expect(walk(harness, limit: 1).count == 2)
    #expect(sent.withLock { $0 } == [token])
  }

  @Test(
    "a next URL's query goes back as it came, and what it lost of the list's own is put back",
    arguments: ["/items?c=a%2Bb%3D&d=e+f", "/items?c=a%2Bb%3D&d=e+f&filter=x"])
  func exactQueries(next: String) throws {
    let harness = try Harness(
      """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items:
          upstream: api
          request: {path: /items, query: {filter: "x", key: k}}
          paging: {style: nextURL}
          items: {at: /items, id: /id}
          says: {next: /next}
      """
    ) { request in
      request.url.contains("c=") ? .body(#"{"items":[]}"#) : .body(#"{"items":[{"id":1}],"next":"\#(next)"}"#)
    }
    _ = walk(harness)
    let expected = next.contains("filter") ? "\(next)&key=k" : "\(next)&filter=x&key=k"
    #expect(harness.upstream.urls.last == "http://127.0.0.1:1\(expected)")
  }

  @Test("a key inside a next URL shows neither in the cursor nor in what a failure says")
  func keysInURLs() throws {
    let harness = try Harness(
      """
      debug: true
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items:
          upstream: api
          paging: {style: nextURL}
          items: {at: /items, id: /id}
          says: {next: /next}
      """
    ) { request in
      request.url.contains("s3cret")
        ? .failed(.timeout) : .body(#"{"items":[{"id":1}],"next":"/items?key=s3cret&page=2"}"#)
    }
    let first = harness.ask("/v1/lists/items?limit=1")
    let cursor = try #require(first.next)
    #expect(!first.text.contains("s3cret"))
    var bytes: [UInt8] = []
    #expect(Base64URL.decode(Array(cursor.utf8).span, into: &bytes))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
    let second = harness.ask("/v1/lists/items?limit=1&debug=1&cursor=\(cursor)")
    #expect(second.status == 504 && !second.text.contains("s3cret"))
  }

  // MARK: Success that is not

  @Test(
    "a success code is what the configuration says, be it a number, a text, a word or nothing",
    arguments: [
      ("is_not: 0", #""code":0"#, #""code":1"#), ("is_not: 1", #""code":"1""#, #""code":0"#),
      ("not_in: [0, 200]", #""code":200"#, #""code":500"#), ("is_not: ok", #""code":"ok""#, #""code":"OK""#),
      ("is_not: true", #""code":true"#, #""code":false"#), ("present: true", #""x":1"#, #""code":7"#),
      ("is_not: \"\"", #""code":"""#, #""code":"denied""#), ("is: 1", #""x":0"#, #""code":1.0"#),
    ])
  func successCodes(test: String, good: String, bad: String) throws {
    for (body, isGood) in [(good, true), (bad, false)] {
      let harness = try Harness(
        """
        upstreams: {api: {url: "http://127.0.0.1:1", refused: {when: /code, \(test), message: /message}}}
        lists:
          items: {upstream: api, paging: {style: whole}, items: {at: /data, id: /id}}
        """
      ) { _ in .body(#"{\#(body),"message":"said so","data":[{"id":1}]}"#) }
      let answer = harness.ask("/v1/lists/items")
      #expect(answer.status == (isGood ? 200 : 422), "\(body)")
      #expect(answer.envelope["message"] as? String == (isGood ? "ok" : "said so"))
    }
  }

  @Test(
    "an error is one whatever its type, beside data that is there or not",
    arguments: [
      #"{"error":["no such user"],"data":[]}"#, #"{"error":[{"code":3}],"data":null}"#,
      #"{"error":{"code":3},"data":[{"id":1}]}"#, #"{"error":"x"}"#, #"{"error":true,"data":{}}"#,
    ])
  func errorsOfEveryType(body: String) throws {
    let harness = try Harness(
      """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        items: {upstream: api, paging: {style: whole}, refused: {when: /error, present: true}, items: {at: /data, id: /id}}
      """
    ) { _ in .body(body) }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.status == 422 && answer.envelope["status"] as? Int == -4)
  }

  // MARK: Bodies

  @Test(
    "what is nearly JSON is a fault that names the place",
    arguments: [
      ("{\"list\":[{\"id\":1},]}", "line 1"), ("{\"list\":[\n{'id':1}]}", "line 2"),
      ("{\"list\":[NaN]}", "line 1"), ("{\"list\":[\n\n/* c */ 1]}", "line 3"),
    ])
  func nearlyJSON(body: String, place: String) throws {
    let answer = try Harness(pagedConfiguration) { _ in .body(body) }.ask("/v1/lists/items?debug=1")
    #expect(answer.header["error"] as? String == "upstream_fault")
    #expect(answer.text.contains(place), "\(answer.text)")
  }

  @Test("half of a surrogate pair, duplicate keys and numbers of any size come through as they are")
  func untouched() throws {
    let items = [
      #"{"id":1,"t":"\ud83d x \uDE00"}"#, #"{"id":2,"a":1,"a":2}"#, #"{"id":3,"n":1e400,"z":-0,"d":1.10}"#,
      #"{"id":18446744073709551616123}"#,
    ]
    let harness = try Harness(pagedConfiguration) { _ in
      .body(#"{"list":[\#(items.joined(separator: ","))],"total":4}"#)
    }
    #expect(harness.ask("/v1/lists/items").items == items)
  }

  @Test("a label that lies about a body's type does not matter", arguments: ["text/html", "image/png", ""])
  func labels(type: String) throws {
    let answer = try Harness(pagedConfiguration) { _ in
      .body(#"{"list":[{"id":1}],"total":1}"#, fields: [(.contentType, type)])
    }.ask("/v1/lists/items")
    #expect(answer.status == 200 && answer.items == [#"{"id":1}"#])
  }
}
