import Configuration
import HTTPSemantics
import JSON
import Paging
import Testing

@Suite("Examples")
struct ExampleTests {
  private static func load(_ name: String) throws -> Configuration {
    let path = "config/examples/\(name).yaml"
    return try World.load(bytes: Repository.bytes(of: path), name: path)
  }

  /// Path and query, or content, of a list's request, for these values of its parameters.
  private static func rendered(_ list: Configuration.List, _ texts: String?...) throws -> (
    target: String, content: String
  ) {
    let values = zip(list.parameters, texts).map { parameter, text in
      text.flatMap { parameter.value(of: Array($0.utf8)[...]) }
    }
    let arguments = Arguments(values)
    func fields(_ fields: [RequestTemplate.Field]) throws -> [UInt8] {
      var output: [UInt8] = []
      for field in fields where field.value.isComplete(with: arguments) {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        output += field.name
        output.append(UInt8(ascii: "="))
        try field.value.append(arguments, into: &output)
      }
      return output
    }
    var target: [UInt8] = []
    try list.request.path.append(arguments, into: &target)
    let query = try fields(list.request.query)
    var content: [UInt8] = []
    switch list.request.content {
    case .none: break
    case .form(let form): content = try fields(form)
    case .json(let json):
      try json.append(arguments, placed: json.places.map { _ in Array("3".utf8) }, into: &content)
    }
    return (
      String(decoding: target + (query.isEmpty ? [] : [UInt8(ascii: "?")]) + query, as: UTF8.self),
      String(decoding: content, as: UTF8.self)
    )
  }

  @Test("page and total, endpoints told apart by the query")
  func pageAndTotal() throws {
    let configuration = try Self.load("page-and-total")
    #expect(configuration.lists.map(\.name) == ["categories", "users"])
    let users = configuration.lists[1]
    #expect(try Self.rendered(users, "35").target == "/api_open.php?a=list&c=subscribe&category_id=35")
    #expect(users.request.method == .get)
    #expect(
      users.plan.style == .page(PageNumber(page: .query("page"), first: 1, size: nil, ending: .counted)))
    #expect(users.plan.items == .usual(at: try Pointer("/list"), id: .at([try Pointer("/uid")])))
    #expect(users.plan.says.total == .body(try Pointer("/total")))
    #expect(configuration.lists[0].plan.style == .whole(Whole()))
  }

  @Test("page and page count, nested, by POST")
  func pageCountByPost() throws {
    let configuration = try Self.load("page-count-by-post")
    let notices = configuration.lists[0]
    let (target, content) = try Self.rendered(notices, "7")
    #expect(target == "/api/notice/list")
    #expect(content == "sid=7")
    #expect(notices.request.method == .post)
    #expect(
      notices.plan.style
        == .page(
          PageNumber(
            page: .form("page"), first: 1, size: PageSize(placement: .form("pageSize"), value: 20),
            ending: .counted)))
    #expect(
      notices.plan.refusal
        == Refusal(
          when: .body(try Pointer("/code")), test: .isNone([.text("0")]), code: .body(try Pointer("/code")),
          message: [.body(try Pointer("/message"))],
          cases: [Refusal.Case(code: .text("1001"), meaning: .sessionExpired)]))
  }

  @Test("an envelope that is one already")
  func envelope() throws {
    let orders = try Self.load("envelope").lists[0]
    #expect(
      try Self.rendered(orders, "12", "open", nil).content
        == #"{"service":"order.list","customer":12,"filter":{"state":"open"},"pageNo":3,"pageSize":3}"#)
    #expect(
      try Self.rendered(orders, "12", nil, "2024-01-31").content
        == #"{"service":"order.list","customer":12,"filter":{"since":"2024-01-31"},"pageNo":3,"pageSize":3}"#)
    #expect(orders.request.headers.map(\.name.text) == ["Authorization"])
    #expect(orders.plan.refusal?.test == .isNone([.text("0"), .text("200")]))
    #expect(orders.plan.items.absence == .empty)
    #expect((orders.limit, orders.maxLimit) == (25, 100))
  }

  @Test("metrics that do not page, with keys in the URL")
  func metrics() throws {
    let events = try Self.load("metrics-unpaged").lists[0]
    #expect(
      try Self.rendered(events, "2013-01-01", "2013-01-31").target
        == "/eventMetrics/Summary?apiAccessCode=demo&apiKey=demo&startDate=2013-01-01&endDate=2013-01-31")
    #expect(events.plan.style == .whole(Whole()))
    #expect(events.plan.items.id == .at([try Pointer("/@eventName")]))
    #expect(events.plan.refusal?.test == .present)
  }

  @Test("a screen of two lists, and one with a call")
  func recommendedUsers() throws {
    let configuration = try Self.load("recommended-users")
    let recommend = configuration.screens[0]
    #expect(recommend.sections.map(\.name) == ["categories", "users"])
    #expect(recommend.sections.map(\.source) == [.list(0), .list(1)])
    #expect(recommend.sections[0].isRequired)
    #expect(recommend.sections[1].arguments == [.found(section: 0, pointer: try Pointer("/0/id"))])
    #expect(recommend.timeout == .seconds(5))
    let user = configuration.screens[1]
    #expect(user.sections[0].source == .call(0))
    #expect(user.sections[1].arguments == [.text([.parameter(1)])])
    #expect(user.sections[1].limit == 5)
  }

  @Test("there is no other example")
  func count() {
    #expect(Repository.files(in: "config/examples", suffix: "").count { $0.hasSuffix(".yaml") } == 5)
  }
}
