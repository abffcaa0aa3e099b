import HTTPSemantics
import JSON
import Testing

@testable import Paging

@Suite struct NormaliserTests {
  /// Makes a page of a body as a list with these places would.
  static func page(
    _ body: String, at: [String] = ["/list"], each: String? = nil, id: ItemsPlace.Identity = .at([p("/id")]),
    shape: ItemsPlace.Shape = .any, order: String? = nil, absence: ItemsPlace.Absence = .judged,
    says: Says = .nothing, refusal: Refusal? = nil, style: Style = .pages(size: 20), status: Int = 200,
    fields: [(String, String)] = [], target: String = "/items?page=1"
  ) throws(PageFault) -> Page {
    let items = ItemsPlace(
      at: at.map(p), each: each.map(p), id: id, shape: shape, order: order.map(p), absence: absence,
      allowsEmptyBody: false, format: .json)
    let plan = WalkPlan(
      style: style, items: items, says: says, refusal: refusal, shifts: .watch, limits: .defaults)
    var header = Fields()
    for (name, value) in fields { header.append(FieldName(validating: name)!, value) }
    let document = try! Parser(maximumDepth: 64).parse(Bytes(copying: Array(body.utf8)))
    return try Normaliser(plan: plan).page(
      of: document, status: status, fields: header, target: Array(target.utf8))
  }

  static func says(
    total: String? = nil, pageCount: String? = nil, page: String? = nil, hasMore: String? = nil,
    isLast: String? = nil,
    next: String? = nil
  ) -> Says {
    func locator(_ text: String?) -> Locator? { text.map { try! Locator($0) } }
    return Says(
      total: locator(total), pageCount: locator(pageCount), page: locator(page), hasMore: locator(hasMore),
      isLast: locator(isLast), next: locator(next))
  }

  static func p(_ text: String) -> Pointer { try! Pointer(text) }

  // MARK: Items

  @Test(
    "null, an empty text, an empty object and false stand for an empty list",
    arguments: ["null", #""""#, "{}", "false", "[]"])
  func emptiness(value: String) throws {
    #expect(try Self.page(#"{"list":\#(value)}"#).items.isEmpty)
  }

  @Test("items keep their bytes, whatever they are")
  func bytes() throws {
    let items = [
      #"{"id":9007199254740993,"amount":1.10, "e":1e2,"z":-0}"#, #"{"id":2,"a":1,"a":2}"#, "null",
      #""{\"id\":3}""#, "4.50",
    ]
    let page = try Self.page(#"{"list" : [ \#(items.joined(separator: " , ")) ] }"#)
    #expect(page.texts == items)
    #expect(page.isContiguous)
    #expect(page.items.map { $0.id != 0 } == [true, true, false, false, false])
  }

  @Test("a number and a text with the same digits are one id")
  func mixedIDs() throws {
    let first = try Self.page(#"{"list":[{"id":7},{"id":8}]}"#)
    let second = try Self.page(#"{"list":[{"id":"7"},{"id":"8"}]}"#)
    #expect(first.items.map(\.id) == second.items.map(\.id))
  }

  @Test(
    "null and an empty text are no id: such items are not taken for one another", arguments: ["null", #""""#])
  func emptyIDs(id: String) throws {
    let page = try Self.page(#"{"list":[{"id":\#(id),"n":1},{"id":\#(id),"n":2},{"id":10}]}"#)
    #expect(page.items.count == 3)
    #expect(page.items.map { $0.id != 0 } == [false, false, true])
  }

  @Test("compound ids tell apart what one of their parts does not")
  func compoundIDs() throws {
    let page = try Self.page(
      #"{"list":[{"a":1,"b":2},{"a":1,"b":3},{"a":12},{"b":12},{"c":1},{"a":1,"b":2}]}"#,
      id: .at([Self.p("/a"), Self.p("/b")]))
    #expect(page.items.count == 5)
    #expect(Set(page.items.map(\.id)).count == 5)
    #expect(page.items[4].id == 0)
  }

  @Test("an item that comes twice on one page is dropped once, with a warning", arguments: [2, 40])
  func duplicates(count: Int) throws {
    let ids = (0..<count).map { $0 } + [1, 0, 1]
    let page = try Self.page(#"{"list":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#)
    #expect(page.items.count == count)
    #expect(page.rawCount == count + 3)
    #expect(!page.isContiguous)
    #expect(page.warnings.entries.map(\.text) == ["duplicates_dropped:3"])
  }

  @Test("one object where an array is meant is one item")
  func singleObject() throws {
    #expect(try Self.page(#"{"list":{"id":1,"name":"a"}}"#).texts == [#"{"id":1,"name":"a"}"#])
  }

  @Test(
    "an object of items gives them in its order",
    arguments: [#"{"b":{"id":2},"a":{"id":1}}"#, #"{"0":{"id":2},"1":{"id":1}}"#])
  func map(list: String) throws {
    let page = try Self.page(#"{"list":\#(list)}"#)
    #expect(page.texts == [#"{"id":2}"#, #"{"id":1}"#])
    #expect(!page.isContiguous)
  }

  @Test("an array of keys gives an object of items its order, and says which of them belong to the page")
  func orderedMap() throws {
    let page = try Self.page(
      #"{"order":["c","a","x"],"posts":{"a":{"id":"a"},"b":{"id":"b"},"c":{"id":"c"}}}"#, at: ["/posts"],
      id: .key,
      order: "/order")
    #expect(page.texts == [#"{"id":"c"}"#, #"{"id":"a"}"#])
  }

  @Test("what the array of keys names again is not served again, with ids and without")
  func orderRepeats() throws {
    for id in [ItemsPlace.Identity.key, .none] {
      let page = try Self.page(
        #"{"order":["a","b","a","a","b"],"posts":{"a":{"n":1},"b":{"n":2}}}"#, at: ["/posts"], id: id,
        shape: .map, order: "/order")
      #expect(page.texts == [#"{"n":1}"#, #"{"n":2}"#])
      #expect(page.rawCount == 2 && page.warnings.isEmpty)
    }
  }

  @Test("several arrays follow one another")
  func severalPlaces() throws {
    let page = try Self.page(
      #"{"top":[{"id":1}],"list":[{"id":2}],"more":null}"#, at: ["/top", "/list", "/more"])
    #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#])
  }

  @Test("arrays within an object or an array follow one another")
  func groups() throws {
    for body in [#"{"list":{"d1":[{"id":1}],"d2":[{"id":2}]}}"#, #"{"list":[[{"id":1}],[{"id":2}]]}"#] {
      #expect(try Self.page(body, shape: .groups).items.count == 2)
    }
  }

  @Test("the item may be a part of the element")
  func each() throws {
    let page = try Self.page(
      #"{"edges":[{"cursor":"x","node":{"id":1}},{"cursor":"y","node":{"id":2}}]}"#, at: ["/edges"],
      each: "/node")
    #expect(page.texts == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(!page.isContiguous)
  }

  // MARK: Nothing where the items should be

  @Test(
    "nothing where the items should be is an empty page when the rest says so",
    arguments: [
      #"{"total":0}"#, #"{"data":{}}"#, #"{"data":[]}"#, "{}", "null", #"{"data":null,"message":"ok"}"#,
    ])
  func excused(body: String) throws {
    let page = try Self.page(body, at: ["/data/list"], says: Self.says(total: "/total"))
    #expect(page.items.isEmpty)
    #expect(page.warnings.contains(.itemsAbsent))
  }

  @Test("nothing where the items should be is a fault that names the place and what is there")
  func absent() {
    #expect(throws: PageFault.shape("nothing at /data/list; the answer is an object with message, code")) {
      try Self.page(#"{"message":"hello","code":3}"#, at: ["/data/list"])
    }
    #expect(throws: PageFault.shape("/list holds a string, not the items")) {
      try Self.page(#"{"list":"three"}"#)
    }
    #expect(throws: PageFault.shape("/list holds an object with id, not the items")) {
      try Self.page(#"{"list":{"id":1}}"#, shape: .array)
    }
  }

  // MARK: What is said

  @Test(
    "a total is read however it is written",
    arguments: [
      ("1037", 1037), (#""1037""#, 1037), ("1037.0", 1037), (#""1,037""#, 1037), (#""1037.00""#, 1037),
      ("1e5", 100_000),
      (#"{"value":10000,"relation":"eq"}"#, 10_000), ("0", 0), ("-1", nil), ("null", nil), (#""""#, nil),
      ("1e30", nil),
      (#""about 100""#, nil), ("12.5", nil), ("true", nil), (#""1,03""#, nil), ("[]", nil),
    ] as [(String, Int?)])
  func total(text: String, number: Int?) throws {
    let page = try Self.page(#"{"list":[],"total":\#(text)}"#, says: Self.says(total: "/total"))
    #expect(page.said.total == number)
    let isSilent = number != nil || ["-1", "null", #""""#].contains(text)
    #expect(page.warnings.contains(.countUnreadable) == !isSilent)
  }

  @Test("a total that is a lower bound is given, with a warning, and ends nothing")
  func lowerBound() throws {
    let page = try Self.page(
      #"{"list":[],"total":{"value":10000,"relation":"gte"}}"#, says: Self.says(total: "/total"))
    #expect(page.said.total == 10_000)
    #expect(page.said.totalIsLowerBound)
    #expect(page.warnings.contains(.totalIsLowerBound))
  }

  @Test(
    "totals are read from header fields, the number behind the slash of a Content-Range too",
    arguments: [
      ("X-Total", "1037", 1037), ("Content-Range", "items 0-24/573", 573), ("Content-Range", "0-24/*", nil),
      ("Content-Range", "*/0", 0),
    ] as [(String, String, Int?)])
  func totalInHeader(name: String, value: String, total: Int?) throws {
    let page = try Self.page(
      #"{"list":[]}"#, says: Self.says(total: "header:\(name)"), fields: [(name.lowercased(), value)])
    #expect(page.said.total == total)
  }

  @Test(
    "a flag is read however it is written",
    arguments: [
      ("true", true), ("false", false), ("1", true), ("0", false), (#""true""#, true), (#""False""#, false),
      (#""/more""#, true),
      (#""""#, false), ("null", nil), ("{}", false),
    ] as [(String, Bool?)])
  func flag(text: String, value: Bool?) throws {
    let body = #"{"list":[],"more":\#(text)}"#
    #expect(try Self.page(body, says: Self.says(hasMore: "/more")).said.hasMore == value)
    #expect(try Self.page(body, says: Self.says(isLast: "/more")).said.hasMore == value.map { !$0 })
  }

  @Test("a flag may stand in the last item")
  func flagInLastItem() throws {
    let page = try Self.page(
      #"[{"id":1},{"id":2,"_more_changes":true}]"#, at: [""], says: Self.says(hasMore: "item:/_more_changes"))
    #expect(page.said.hasMore == true)
  }

  @Test(
    "an empty, absent, null or zero token means the end",
    arguments: ["null", #""""#, "0", #""0""#, "-1", "false", "{}", "[]"])
  func noToken(token: String) throws {
    let says = Self.says(next: "/next")
    #expect(
      try Self.page(#"{"list":[],"next":\#(token)}"#, says: says, style: .tokens(size: 20)).said.next == .none
    )
    #expect(try Self.page(#"{"list":[]}"#, says: says, style: .tokens(size: 20)).said.next == .none)
  }

  @Test("tokens are passed on as they came")
  func tokens() throws {
    let says = Self.says(next: "/next")
    func next(_ token: String) throws -> Said.Next {
      try Self.page(#"{"list":[],"next":\#(token)}"#, says: says, style: .tokens(size: 20)).said.next
    }
    #expect(try next(#""a+b\/c=%2B""#) == .text(Array("a+b/c=%2B".utf8)))
    #expect(try next("12345678901234567890") == .json(Array("12345678901234567890".utf8)))
    #expect(try next(#"{"Id": {"S":"x"}}"#) == .json(Array(#"{"Id": {"S":"x"}}"#.utf8)))
    #expect(throws: PageFault.self) { try next("\"\(String(repeating: "x", count: 10_000))\"") }
  }

  // MARK: Refusals

  @Test("a success code is compared as text or number", arguments: ["0", #""0""#, "0.0", #""00""#])
  func successes(code: String) throws {
    let refusal = Refusal(
      when: .body(Self.p("/code")), test: .isNone([.text("0")]), code: nil,
      message: [.body(Self.p("/message"))], cases: [])
    #expect(try Self.page(#"{"code":\#(code),"list":[],"message":"fine"}"#, refusal: refusal).items.isEmpty)
  }

  @Test("a business failure carries the upstream's code and message", arguments: ["1001", #""1001""#])
  func refusal(code: String) {
    let refusal = Refusal(
      when: .body(Self.p("/code")), test: .isNone([.text("0"), .text("ok")]), code: nil,
      message: [.body(Self.p("/msg")), .body(Self.p("/message"))],
      cases: [.init(code: .text("1001"), meaning: .sessionExpired)])
    #expect(throws: PageFault.refused(code: "1001", message: "sign in", meaning: .sessionExpired)) {
      try Self.page(#"{"code":\#(code),"message":"sign in","list":[]}"#, refusal: refusal)
    }
    #expect(throws: PageFault.refused(code: nil, message: nil, meaning: .refused)) {
      try Self.page(#"{"list":[]}"#, refusal: refusal)
    }
  }

  @Test(
    "an error that says something is a refusal, one that says nothing is not",
    arguments: [
      (#"{"message":"no"}"#, true), (#""no""#, true), ("true", true), ("null", false), ("false", false),
      (#""""#, false),
      ("0", false), ("{}", false), ("[]", false),
    ])
  func presentError(error: String, isRefusal: Bool) {
    let refusal = Refusal(
      when: .body(Self.p("/error")), test: .present, code: .body(Self.p("/error/code")),
      message: [.body(Self.p("/error/message")), .body(Self.p("/error"))], cases: [])
    let result = Result { try Self.page(#"{"error":\#(error),"list":[]}"#, refusal: refusal) }
    switch result {
    case .success: #expect(!isRefusal)
    case .failure: #expect(isRefusal)
    }
  }

  @Test("true and whole objects that tell a refusal are no code of it")
  func codeless() {
    let refusal = Refusal(
      when: .body(Self.p("/error")), test: .present, code: nil, message: [.body(Self.p("/error/why"))],
      cases: [])
    for (error, code, message) in [("true", nil, nil), (#"{"why":"w"}"#, nil, "w"), (#""E1""#, "E1", nil)]
      as [(String, String?, String?)]
    {
      #expect(throws: PageFault.refused(code: code, message: message, meaning: .refused)) {
        try Self.page(#"{"error":\#(error)}"#, refusal: refusal)
      }
    }
  }

  @Test("a rule for statuses leaves GraphQL's own in force")
  func graphqlByStatus() {
    let style = Style.graphql(
      Connection(at: Self.p("/data/issues"), after: .json(Self.p("/variables/after")), size: nil))
    let refusal = Refusal.byStatus(
      code: nil, message: [.body(Self.p("/message"))],
      cases: [.init(code: .text("FORBIDDEN"), meaning: .sessionExpired)])
    #expect(throws: PageFault.refused(code: "FORBIDDEN", message: "no", meaning: .sessionExpired)) {
      try Self.page(
        #"{"data":null,"errors":[{"message":"no","extensions":{"code":"FORBIDDEN"}}]}"#,
        at: ["/data/issues/nodes"], refusal: refusal, style: style)
    }
  }

  @Test("a GraphQL answer with errors is a refusal")
  func graphqlErrors() {
    let style = Style.graphql(
      Connection(at: Self.p("/data/issues"), after: .json(Self.p("/variables/after")), size: nil))
    #expect(throws: PageFault.refused(code: "FORBIDDEN", message: "no", meaning: .refused)) {
      try Self.page(
        #"{"data":{"issues":null},"errors":[{"message":"no","extensions":{"code":"FORBIDDEN"}}]}"#,
        at: ["/data/issues/nodes"], style: style)
    }
  }

  @Test("a GraphQL connection says by itself where its cursor is")
  func graphqlCursor() throws {
    let style = Style.graphql(
      Connection(at: Self.p("/data/issues"), after: .json(Self.p("/variables/after")), size: nil))
    let page = try Self.page(
      #"{"data":{"issues":{"nodes":[{"id":1}],"pageInfo":{"endCursor":"Y3","hasNextPage":true}}}}"#,
      at: ["/data/issues/nodes"], style: style)
    #expect(page.said.next == .text(Array("Y3".utf8)))
    #expect(page.said.hasMore == true)
  }
}

extension Page {
  /// The items as they stand in the body.
  var texts: [String] { items.map { String(decoding: body[$0.range], as: UTF8.self) } }
}
