import HTTPSemantics
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Answers that no upstream should give: each ends in the right envelope, and no walk goes on for ever.
@Suite("Bad input", .timeLimit(.minutes(10)))
struct BadInputTests {
  private static func configuration(_ list: String) -> String {
    """
    debug: true
    upstreams: {api: {url: "http://127.0.0.1:1"}}
    lists:
      things: {upstream: api, request: {query: {filter: all}}, \(list)}
    """
  }

  private static let next = configuration(
    "paging: {style: nextURL}, items: {at: /list, id: /id}, says: {next: /next}")
  private static let token = configuration(
    "paging: {style: token, token: {query: t}}, items: {at: /list, id: /id}, says: {next: /next}")
  private static let pages = configuration(
    "paging: {style: page, page: {query: page}, size: {query: size, value: 20}}, items: {at: /list, id: /id}, says: {total: /total, pageCount: /pages, hasMore: /more}"
  )
  private static let keys = configuration(
    "paging: {style: keyset, keyset: {query: before, key: /id}}, items: {at: /list, id: /id}, says: {hasMore: /more}"
  )
  private static let links = configuration("paging: {style: link}, items: {at: \"\", id: /id}")

  /// A list read to its end, slice by slice, or to its first failure.
  private struct Read {
    var items: [String] = []
    var warnings: Set<String> = []
    var slices = 0
    var requests = 0
    /// The answer that was no slice.
    var failure: Answered?

    init(_ configuration: String, limit: Int = 20, answer: @escaping @Sendable (Asked) -> Harness.Outcome)
      throws
    {
      let harness = try Harness(configuration) { answer(Asked($0)) }
      var cursor: String?
      repeat {
        let slice = harness.ask(
          "/v1/lists/things?debug=1&limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
        requests = harness.upstream.requests.count
        guard slice.status == 200 else {
          failure = slice
          return
        }
        slices += 1
        items += slice.items
        warnings.formUnion(slice.warnings)
        cursor = slice.next
      } while cursor != nil && slices < 5_000
      if cursor != nil { Issue.record("no end after \(slices) slices") }
    }

    var error: String? { failure?.header["error"] as? String }
  }

  private static func item(_ id: Int) -> String { #"{"id":\#(id)}"# }
  private static func list(_ ids: some Sequence<Int>) -> String {
    "[\(ids.map(item).joined(separator: ","))]"
  }

  // MARK: Pointers and ids

  @Test("a pointer that leads nowhere is an unexpected shape, and debug says where and what was there")
  func nowhere() throws {
    let read = try Read(Self.pages) { _ in .body(#"{"code":7,"data":{"rows":[1]}}"#) }
    #expect(read.error == "upstream_shape" && read.failure?.envelope["status"] as? Int == -3)
    #expect(read.failure?.text.contains("nothing at /list; the answer is an object with code, data") == true)
  }

  @Test("items without the id that was said are all given, with a warning")
  func withoutIDs() throws {
    let read = try Read(Self.pages) { asked in
      let number = Int(asked.query["page"]!)!
      let ids = Array(0..<45).page(from: (number - 1) * 20)
      return .body(#"{"list":[\#(ids.map { #"{"key":\#($0)}"# }.joined(separator: ","))],"total":45}"#)
    }
    #expect(read.items == (0..<45).map { #"{"key":\#($0)}"# })
    #expect(read.warnings == ["ids_absent"])
  }

  // MARK: Next pages

  @Test(
    "a next URL that leads elsewhere is a fault, is never followed, and is not shown",
    arguments: [
      "https://evil.example/things?page=2", "//evil.example/x", "file:///etc/passwd", "gopher://127.0.0.1/",
      "http://user:secret@127.0.0.1/x", "javascript:alert(1)", "http://169.254.169.254/latest/meta-data",
      "http://[::ffff:93.184.216.34]/x", "http:/x", "/a\\nb",
    ])
  func elsewhere(url: String) throws {
    let read = try Read(Self.next, limit: 200) { asked in
      asked.query["page"] == nil ? .body(#"{"list":[{"id":1}],"next":"\#(url)"}"#) : .body("[]")
    }
    #expect(read.requests == 1)
    #expect(read.error == "upstream_fault")
    #expect((read.failure?.header["detail"] as? String)?.contains("secret") != true)
  }

  @Test("a next of a megabyte is a fault", arguments: [true, false])
  func longNext(isURL: Bool) throws {
    let long = "/things?page=" + String(repeating: "x", count: 1_000_000)
    let read = try Read(isURL ? Self.next : Self.token) { _ in
      .body(#"{"list":[{"id":1}],"next":"\#(long)"}"#)
    }
    #expect(read.requests == 1 && read.error == "upstream_fault")
  }

  @Test("the longest token that is taken makes a cursor that the next request line can hold")
  func longestToken() throws {
    let token = String(repeating: "t", count: 5_500)
    let ids = (0..<20).map { "\($0)" + String(repeating: "x", count: 50) }
    let harness = try Harness(Self.token) { request in
      let list = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
      return Asked(request).query["t"] == nil
        ? .body(#"{"list":[\#(list)],"next":"\#(token)"}"#) : .body(#"{"list":[{"id":1}]}"#)
    }
    let cursor = try #require(harness.ask("/v1/lists/things?limit=20").next)
    #expect("GET /v1/lists/things?limit=20&cursor=\(cursor) HTTP/1.1".utf8.count < 8_000)
    #expect(harness.ask("/v1/lists/things?limit=20&cursor=\(cursor)").items == [#"{"id":1}"#])
  }

  @Test("a page whose next is itself is given once, and the walk ends with a warning")
  func itself() throws {
    let read = try Read(Self.next) { _ in .body(#"{"list":[{"id":1},{"id":2}],"next":"/?filter=all"}"#) }
    #expect(read.items == [1, 2].map(Self.item))
    #expect(read.requests <= 3 && read.warnings.contains("loop_stopped"))
  }

  @Test("a token that repeats ends the walk with a warning", arguments: [1, 2, 3])
  func repeatedToken(period: Int) throws {
    let count = Mutex(0)
    let read = try Read(Self.token) { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .body(#"{"list":\#(Self.list([number * 2, number * 2 + 1])),"next":"t\#(number % period)"}"#)
    }
    #expect(read.requests <= period + 2 && read.warnings.contains("loop_stopped"))
    #expect(Set(read.items).count == read.items.count)
  }

  @Test("the same page again and again behind tokens that are always new ends soon")
  func newTokensSamePage() throws {
    let count = Mutex(0)
    let read = try Read(Self.token) { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .body(#"{"list":[{"id":1},{"id":2}],"next":"t\#(number)"}"#)
    }
    #expect(read.items == [1, 2].map(Self.item))
    #expect(read.requests < 12 && read.warnings.contains("loop_stopped"))
  }

  @Test("an upstream that pays no regard to the page or key it is asked for gives its items once")
  func disregarded() throws {
    for configuration in [Self.pages, Self.keys] {
      let read = try Read(configuration) { _ in .body(#"{"list":\#(Self.list(0..<20)),"more":true}"#) }
      #expect(read.items == (0..<20).map(Self.item))
      #expect(read.requests < 12)
    }
  }

  @Test("ten thousand empty pages are not all asked for", arguments: [true, false])
  func emptyPages(hasToken: Bool) throws {
    let count = Mutex(0)
    let read = try Read(hasToken ? Self.token : Self.pages) { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      let list = number == 10_000 ? "[{\"id\":1}]" : "[]"
      return .body(#"{"list":\#(list),"next":"t\#(number)","more":true,"pages":10000}"#)
    }
    #expect(read.requests <= 101 && read.slices <= 25)
    #expect(read.warnings.contains("loop_stopped"))
  }

  // MARK: Numbers

  @Test(
    "a total that is no count of this list neither cuts it nor keeps it going",
    arguments: [
      "-1", "1e30", "1000000000000000000000000000000", "4.5e1", "1e5", "0", "\"many\"", "[]", "{}", "true",
      "null",
      "1e-400", "\"\"", "9223372036854775807", "-9223372036854775808",
    ])
  func totals(total: String) throws {
    let read = try Read(Self.pages) { asked in
      let number = Int(asked.query["page"]!)!
      return .body(
        #"{"list":\#(Self.list(Array(0..<45).page(from: (number - 1) * 20))),"total":\#(total),"pages":\#(total)}"#
      )
    }
    #expect(read.items == (0..<45).map(Self.item))
    #expect(read.requests <= 9, "\(read.requests)")
  }

  @Test("numbers in any spelling are ids and keys as they stand", arguments: ["1e5", "-0", "1.50", "1E+2"])
  func spellings(number: String) throws {
    let read = try Read(Self.keys) { asked in
      asked.query["before"] == nil
        ? .body(#"{"list":[{"id":7},{"id":\#(number)}],"more":true}"#)
        : .body(#"{"list":[],"sent":"\#(asked.query["before"]!)"}"#)
    }
    #expect(read.items == [#"{"id":7}"#, #"{"id":\#(number)}"#])
  }

  // MARK: Link

  @Test(
    "a Link field of any malformed kind ends the list or leads on, and nothing else",
    arguments: [
      "", ",", ";", "<", ">", "<>", "<>; rel=next", "</things?p=2", "</things?p=2>", "</things?p=2>; rel",
      "</things?p=2>; rel=", "</things?p=2>; rel=\"next", "</things?p=2> rel=next", "things?p=2; rel=next",
      "</things?p=2>; rel=\"nextx\"", "</things?p=2>; rev=next", "<</things?p=2>>; rel=next",
      "</things?p=2>; rel=next; rel=prev", "</things?p=2>;;;;rel=next,,,", "</things?p=2>; REL = \"NEXT\"",
      "</things?p=2>; title=\"a, b; rel=next\"", "</things?p=2>; rel=\"prev next\"; title*=UTF-8''%e2%82",
      "</things?p=\u{FF}>; rel=next", String(repeating: "<", count: 5_000),
      String(repeating: "</a>; rel=x, ", count: 1_000) + "</things?p=2>; rel=next",
    ])
  func links(field: String) throws {
    let read = try Read(Self.links) { asked in
      asked.query["p"] == nil
        ? .body(#"[{"id":1}]"#, fields: WildStyle.field("Link", field)) : .body(#"[{"id":2}]"#)
    }
    #expect(read.failure == nil)
    #expect(read.items == [#"{"id":1}"#] || read.items == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(read.requests <= 3)
  }
}
