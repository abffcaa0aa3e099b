import Configuration
import HTTPSemantics
import JSON
import Paging
import Testing

@Suite("Paging styles, decoded")
struct StyleTests {
  private static var lists: [String: Configuration.List] {
    let path = "Tests/Vectors/Configuration/pass/every-paging-style.yaml"
    guard let configuration = try? World.load(bytes: Repository.bytes(of: path), name: path) else {
      return [:]
    }
    return Dictionary(uniqueKeysWithValues: configuration.lists.map { ($0.name, $0) })
  }

  private static func pointer(_ text: String) -> Pointer {
    guard let pointer = try? Pointer(text) else { fatalError("\(text) is no pointer") }
    return pointer
  }

  private static let hosts = TrustedHosts(own: "api.example.com", aliases: [])

  @Test(
    "each style is read whole",
    arguments: [
      (
        "page",
        Style.page(
          PageNumber(
            page: .path("/v1/list/{}/json"), first: 0, size: PageSize(placement: nil, value: 20),
            ending: Ending(byShortPage: false, statuses: [])))
      ),
      (
        "offset",
        .offset(
          Offset(
            offset: .form("start"), first: 1, prefix: "T",
            size: PageSize(placement: .form("count"), value: 50),
            ending: .counted))
      ),
      (
        "token",
        .token(
          Token(
            sending: .at(.query("page_token")), first: "*",
            size: PageSize(placement: .query("max"), value: 100),
            goesAlone: true, endsByRepeating: true))
      ),
      (
        "members",
        .token(
          Token(sending: .membersInQuery, first: nil, size: nil, goesAlone: false, endsByRepeating: false))
      ),
      (
        "link",
        .link(
          LinkRelation(
            relation: "next", size: PageSize(placement: .query("per_page"), value: 100),
            hosts: TrustedHosts(own: "api.example.com", aliases: ["api.internal.example"])))
      ),
      ("nextURL", .nextURL(NextURL(size: nil, hosts: hosts, byGet: true))),
      (
        "keyset",
        .keyset(
          Keyset(
            sending: .query("max_id"), key: pointer("/id_str"), step: -1, first: "0",
            size: PageSize(placement: .query("count"), value: 200), ending: .keyed))
      ),
      ("range", .range(ItemRange(field: "Range", unit: "", size: 25, ending: .counted))),
      (
        "graphql",
        .graphql(
          Connection(
            at: pointer("/data/user/issues"), after: .json(pointer("/variables/after")),
            size: PageSize(placement: .json(pointer("/variables/first")), value: 50)))
      ),
      ("lines", .whole(Whole())),
    ])
  func styles(_ name: String, _ style: Style) throws {
    #expect(try #require(Self.lists[name]).plan.style == style)
  }

  @Test("what is paid for shifts is read, and watch is the default")
  func shifts() {
    #expect(Self.lists["page"]?.plan.shifts == .exact)
    #expect(Self.lists["offset"]?.plan.shifts == .off)
    #expect(Self.lists["token"]?.plan.shifts == .watch)
  }

  @Test("the items' place is read whole")
  func items() throws {
    #expect(Self.lists["offset"]?.plan.items.at == [Self.pointer("/top"), Self.pointer("/list")])
    #expect(Self.lists["offset"]?.plan.items.id == .at([Self.pointer("/type"), Self.pointer("/id")]))
    let members = try #require(Self.lists["members"]?.plan.items)
    #expect(members.id == .key)
    #expect(members.shape == .map)
    #expect(members.order == Self.pointer("/query/pageids"))
    let next = try #require(Self.lists["nextURL"]?.plan.items)
    #expect(next.each == Self.pointer("/resource"))
    #expect(next.absence == .empty)
    let lines = try #require(Self.lists["lines"]?.plan.items)
    #expect(lines.id == .none)
    #expect(lines.format == .lines(trailers: 1))
    #expect(lines.allowsEmptyBody)
    #expect(lines.shape == .single)
  }

  @Test("locators of every form are read")
  func locators() {
    #expect(Self.lists["page"]?.plan.says.total == .header("X-Total"))
    #expect(
      Self.lists["nextURL"]?.plan.says.next
        == .selected(
          array: Self.pointer("/link"), member: "relation", value: "next", rest: Self.pointer("/url")))
    #expect(Self.lists["keyset"]?.plan.says.hasMore == .body(Self.pointer("/has_more")))
  }

  @Test("a list's headers and refusal come before the upstream's")
  func inheritance() throws {
    let configuration = try World.load(
      """
      upstreams:
        api:
          url: https://api.example.com
          headers: {X-Key: one, Accept: application/json}
          refused: {when: /code, is: 1}
      lists:
        own:
          upstream: api
          request: {headers: {x-key: two}}
          refused: {when: /error, present: true}
          paging: {style: whole}
          items: {at: "", id: none}
        inherited: {upstream: api, paging: {style: whole}, items: {at: "", id: none}}
      """)
    #expect(configuration.lists[0].request.headers.map(\.name.text) == ["Accept", "x-key"])
    #expect(configuration.lists[0].plan.refusal?.when == .body(Self.pointer("/error")))
    #expect(configuration.lists[1].request.headers.map(\.name.text) == ["X-Key", "Accept"])
    #expect(configuration.lists[1].plan.refusal?.test == .isAny([.text("1")]))
  }

  @Test("a smaller total or maximum takes the default of its part along")
  func derived() throws {
    let configuration = try World.load(
      """
      upstreams: {api: {url: "https://api.example.com", timeout: {total: 500ms}}}
      lists: {items: {upstream: api, paging: {style: whole}, items: {at: "", id: none}, maxLimit: 10}}
      """)
    #expect(
      configuration.upstreams[0].timeout
        == Configuration.Timeout(connect: .milliseconds(500), total: .milliseconds(500)))
    #expect((configuration.lists[0].limit, configuration.lists[0].maxLimit) == (10, 10))
  }
}
