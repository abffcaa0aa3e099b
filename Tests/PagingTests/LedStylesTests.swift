import JSON
import Testing

@testable import Paging

/// Styles where the upstream names the next page, by a token, a link or the last item's key.
@Suite struct LedStylesTests {
  private static func tokens(endsByRepeating: Bool = false) -> WalkPlan {
    .model(.tokens(size: 20, endsByRepeating: endsByRepeating))
  }

  @Test("an empty page with a token is stepped over")
  func emptyPage() {
    let script = Script(Self.tokens(), limit: 5) { request in
      switch request.token {
      case nil: .page([1, 2], .token("a"))
      case "a": .page([], .token("b"))
      default: .page([3], .token(nil))
      }
    }
    #expect(script.ids == [1, 2, 3] && script.slices.count == 1)
    #expect(script.warnings == ["empty_page_skipped"])
  }

  @Test("many empty pages make empty slices that go on, and too many end the list")
  func manyEmptyPages() {
    for count in [7, 40] {
      let script = Script(Self.tokens(), limit: 5) { request in
        let number = Int(request.token ?? "0")!
        return number < count ? .page([], .token("\(number + 1)")) : .page([9], .token(nil))
      }
      #expect(script.ids == [9])
      #expect(script.slices.count == 1 + count / Limits.defaults.emptyPages)
    }
    let endless = Script(Self.tokens(), limit: 5) { .page([], .token("\(Int($0.token ?? "0")! + 1)")) }
    #expect(endless.ids.isEmpty && endless.requests.count == Limits.defaults.emptyRun)
    #expect(endless.warnings.last == "loop_stopped")
  }

  @Test("a token that repeats stops the walk with a warning", arguments: [1, 2, 3, 7])
  func loop(length: Int) {
    var count = 0
    let script = Script(Self.tokens(), limit: 1) { request in
      count += 1
      let number = request.token.map { Int($0)! } ?? -1
      return .page([100 + number], .token("\((number + 1) % length)"))
    }
    #expect(script.warnings.last == "loop_stopped")
    #expect(Set(script.ids).count == script.ids.count)
    #expect(count <= length + 2)
  }

  @Test("a next that is the page's own URL stops the walk")
  func ownURL() {
    let style = Style.nextURL(NextURL(size: nil, hosts: TrustedHosts(own: "a", aliases: [])))
    let script = Script(.model(style), limit: 10) { request in
      var said = Said.nothing
      said.next = .target(Array("/x?page=2".utf8))
      return .page(request.target == nil ? [1, 2] : [3, 4], said)
    }
    #expect(script.ids == [1, 2, 3, 4])
    #expect(script.warnings == ["loop_stopped"])
  }

  @Test("where getting back the same token is the end, it is one without a warning")
  func cursorMark() {
    let script = Script(Self.tokens(endsByRepeating: true), limit: 10) { request in
      request.token == nil ? .page([1], .token("a")) : .page(request.token == "a" ? [2] : [], .token("b"))
    }
    #expect(script.ids == [1, 2] && script.warnings.isEmpty)
  }

  @Test("a token beside a flag that says no ends the list")
  func flagOutranksToken() {
    let script = Script(Self.tokens(), limit: 10) { _ in .page([1, 2], .token("x", hasMore: false)) }
    #expect(script.ids == [1, 2] && script.requests.count == 1)
  }

  @Test("a flag that says more without a token ends the list, with a warning")
  func missingToken() {
    let script = Script(Self.tokens(), limit: 10) { _ in .page([1, 2], .token(nil, hasMore: true)) }
    #expect(script.ids == [1, 2] && script.warnings == ["next_missing"])
  }

  @Test("a next although all of the total is there costs one empty page, and no more")
  func nextBehindTotal() {
    let script = Script(Self.tokens(), limit: 10) { request in
      request.token == nil ? .page([1, 2], .token("a", total: 2)) : .page([], .token("b", total: 2))
    }
    #expect(script.ids == [1, 2] && script.requests.count == 2)
    #expect(script.slices.last?.total == 2)
  }

  @Test("items of the page before that come again are dropped, with a warning")
  func overlap() {
    let script = Script(Self.tokens(), limit: 10) { request in
      request.token == nil ? .page([1, 2, 3], .token("a")) : .page([2, 3, 4], .token(nil))
    }
    #expect(script.ids == [1, 2, 3, 4] && script.warnings == ["list_shifted"])
  }

  @Test(
    "a token that the upstream no longer knows is an expired cursor, a fresh one is a failure",
    arguments: [400, 404, 410])
  func expiry(status: Int) {
    var walk = Walk(plan: Self.tokens(), from: nil, limit: 2)
    walk.receive(.of([1, 2], .token("a")))
    guard case .finish(let slice) = walk.next() else { return #expect(Bool(false)) }
    var second = Walk(plan: Self.tokens(), from: slice.next, limit: 2)
    second.receive(PageFailure(status: status, code: "upstream_refused", meaning: nil))
    guard case .fail(.expired) = second.next() else { return #expect(Bool(false)) }
    var first = Walk(plan: Self.tokens(), from: nil, limit: 2)
    first.receive(PageFailure(status: status, code: "upstream_refused", meaning: nil))
    guard case .fail(.page) = first.next() else { return #expect(Bool(false)) }
  }

  @Test("a business code may tell that a position has expired, or that the list has ended")
  func meanings() {
    var walk = Walk(plan: .model(.pages(size: 2)), from: nil, limit: 4)
    walk.receive(.of([1, 2]))
    walk.receive(PageFailure(status: 200, code: "upstream_refused", meaning: .endOfList))
    guard case .finish(let slice) = walk.next() else { return #expect(Bool(false)) }
    #expect(slice.count == 2 && !slice.hasMore)
    var expired = Walk(plan: .model(.pages(size: 2)), from: nil, limit: 4)
    expired.receive(PageFailure(status: 200, code: "upstream_refused", meaning: .cursorExpired))
    guard case .fail(.expired) = expired.next() else { return #expect(Bool(false)) }
  }

  // MARK: What is sent

  private func request(_ style: Style, after next: Said.Next, items: [Int] = [1, 2]) -> PageRequest? {
    var walk = Walk(plan: .model(style), from: nil, limit: 100)
    var said = Said.nothing
    said.next = next
    walk.receive(.of(items, said))
    guard case .fetch(let request) = walk.next() else { return nil }
    return request
  }

  @Test("a token goes back as it came, a value in JSON as that value")
  func sentBack() {
    let place = Placement.json(NormaliserTests.p("/ExclusiveStartKey"))
    let style = Style.token(
      Token(sending: .at(place), first: nil, size: nil, goesAlone: false, endsByRepeating: false))
    let key = Array(#"{"Id": {"S":"x"}}"#.utf8)
    #expect(request(style, after: .json(key))?.parts == [.init(place, .json(key))])
    #expect(request(.tokens(size: 5), after: .text(Array("a+b/=%2B".utf8)))?.token == "a+b/=%2B")
  }

  @Test("the members of a continue object go into the query, one by one")
  func members() {
    let style = Style.token(
      Token(sending: .membersInQuery, first: nil, size: nil, goesAlone: false, endsByRepeating: false))
    let token = #"{"apcontinue":"B\u00e4r","continue":"-||","n":2,"x":null}"#
    #expect(
      request(style, after: .json(Array(token.utf8)))?.parts == [
        .init(.query("apcontinue"), .text(Array("Bär".utf8))),
        .init(.query("continue"), .text(Array("-||".utf8))),
        .init(.query("n"), .text(Array("2".utf8))),
      ])
  }

  @Test("a resumption token goes alone, the first request does not")
  func alone() {
    let style = Style.token(
      Token(
        sending: .at(.query("token")), first: nil, size: PageSize(placement: .query("size"), value: 5),
        goesAlone: true,
        endsByRepeating: false))
    let next = request(style, after: .text([97]))
    #expect(next?.goesAlone == true && next?.parts.count == 1)
    let walk = Walk(plan: .model(style), from: nil, limit: 1)
    guard case .fetch(let first) = walk.next() else { return #expect(Bool(false)) }
    #expect(!first.goesAlone && first.number("size") == 5)
  }

  @Test("a first token is sent where one is needed to begin")
  func firstToken() {
    let style = Style.token(
      Token(sending: .at(.query("token")), first: "*", size: nil, goesAlone: false, endsByRepeating: true))
    let walk = Walk(plan: .model(style), from: nil, limit: 1)
    guard case .fetch(let first) = walk.next() else { return #expect(Bool(false)) }
    #expect(first.token == "*")
  }

  // MARK: Keysets

  @Test("a key is the last item's value, or its neighbour", arguments: [(0, "2"), (1, "3"), (-1, "1")])
  func keys(step: Int, key: String) {
    #expect(request(.keys(size: 2, step: step), after: .unsaid)?.token == key)
  }

  @Test("an inclusive key gives its own item again: it is dropped, and a page of nothing else is the end")
  func inclusiveKey() {
    let list = Array((1...9).reversed())
    let script = Script(.model(.keys(size: 4)), limit: 4) { request in
      let key = request.token.map { Int($0)! } ?? .max
      return .page(list.filter { $0 <= key }.prefix(4))
    }
    #expect(script.ids == list)
    #expect(script.warnings.isEmpty)
  }

  @Test("a keyset ends with an empty page, or where a flag says so")
  func keysetEnds() {
    let list = Array((1...8).reversed())
    for hasFlag in [true, false] {
      let script = Script(.model(.keys(size: 4)), limit: 4) { request in
        let rest = list.filter { $0 < request.token.map { Int($0)! } ?? .max }
        return .page(rest.prefix(4), hasFlag ? .hasMore(rest.count > 4) : .nothing)
      }
      #expect(script.ids == list)
      #expect(script.requests.count == (hasFlag ? 2 : 3))
      #expect(script.warnings.isEmpty)
    }
  }
}
