import Testing

@testable import Paging

/// What happens at the seam of two pages when the list has moved between them.
@Suite struct SeamTests {
  /// A list whose state may change after each request.
  private func read(
    _ style: Style, _ shifts: Shifts, limit: Int = 20, states: [[Int]], said: (([Int]) -> Said)? = nil
  ) -> Script {
    var count = 0
    return Script(.model(style, shifts: shifts), limit: limit) { request in
      let list = states[min(count, states.count - 1)]
      count += 1
      let size = request.number("size") ?? 20
      let start = request.number("offset") ?? (request.number("page")! - 1) * size
      return .page(list.dropFirst(start).prefix(size), said?(list) ?? .nothing)
    }
  }

  private static let list = Array(0..<60)

  @Test(
    "items that arrive at the top push rows onto the next page again, where they are dropped",
    arguments: Shifts.allCases)
  func insertion(shifts: Shifts) {
    let script = read(.pages(size: 20), shifts, states: [Self.list, [101, 100] + Self.list])
    if shifts == .off {
      #expect(script.ids.filter { $0 == 18 }.count == 2)
    } else {
      #expect(script.ids == Self.list)
      #expect(script.warnings.contains("list_shifted"))
    }
  }

  @Test(
    "items that leave above take rows off the next page: the earlier one is looked at again",
    arguments: [true, false])
  func deletion(isAsked: Bool) {
    let rest = Array(Self.list.dropFirst(3))
    let style = Style.pages(size: 20, isAsked: isAsked)
    #expect(read(style, .exact, states: [Self.list, rest]).ids == Self.list)
    #expect(read(style, .watch, states: [Self.list, rest]) { .total($0.count) }.ids == Self.list)
    #expect(read(.offsets(size: 20), .exact, states: [Self.list, rest]).ids == Self.list)
    // Without a total, nothing tells that the list has moved.
    #expect(read(style, .watch, states: [Self.list, rest]).ids.count == 57)
  }

  @Test("watch asks for nothing more while nothing moves")
  func watchIsFree() {
    let script = read(.pages(size: 20), .watch, states: [Self.list]) { .total($0.count, pageCount: 3) }
    #expect(script.pages == [1, 2, 3])
  }

  @Test("exact costs one item of overlap where pages can begin anywhere, and nothing else")
  func exactOffsets() {
    let script = read(.offsets(size: 20), .exact, limit: 60, states: [Self.list]) { .total($0.count) }
    #expect(script.pages == [0, 19, 38, 57])
    #expect(script.ids == Self.list && script.warnings.isEmpty)
  }

  @Test("exact shows the seam of numbered pages by pages of other sizes")
  func exactPages() {
    let script = read(.pages(size: 20), .exact, states: [Self.list]) { .total($0.count) }
    #expect(script.ids == Self.list && script.warnings.isEmpty)
    for request in script.requests.dropFirst() { #expect(request.number("size")! < 20) }
  }

  @Test("exact looks at the page before again where the size is not ours to choose")
  func exactFixedPages() {
    let script = read(.pages(size: 20, isAsked: false), .exact, states: [Self.list]) {
      .total($0.count, pageCount: 3)
    }
    #expect(script.pages == [1, 2, 1, 3, 2])
    #expect(script.requests.dropFirst().allSatisfy { $0.isFresh })
    #expect(script.ids == Self.list && script.warnings.isEmpty)
  }

  @Test(
    "an anchor that was deleted itself is stood in for by an older one", arguments: [Shifts.exact, .watch])
  func deletedAnchor(shifts: Shifts) {
    let rest = Self.list.filter { !(15...19).contains($0) }
    let script = read(.pages(size: 20), shifts, limit: 10, states: [Self.list, Self.list, rest]) {
      .total($0.count)
    }
    #expect(script.ids == Self.list)
  }

  @Test("when all that was served is gone, what is left is still given")
  func everythingGone() {
    let rest = Array(Self.list.dropFirst(10))
    let script = read(.pages(size: 20), .exact, limit: 10, states: [Self.list, rest]) { .total($0.count) }
    #expect(script.ids == Self.list)
  }

  @Test("an older page in place of one that was to prove the seam does not have the walk start over")
  func standIn() {
    let old = Array(100..<116)
    var count = 0
    let script = Script(.model(.pages(size: 8), shifts: .watch), limit: 8) { request in
      count += 1
      if count == 1 { return .page(0..<8, .total(20)) }
      let page = Page.of(old.paged(request.number("page") ?? 1, 8), .total(16))
      return .success(request.isFresh ? Page(standIn: page) : page)
    }
    #expect(script.ids == Array(0..<8) + Array(108..<116))
    #expect(script.warnings.contains("seam_unproven"))
  }

  @Test("an item that moved down is given once")
  func movedDown() {
    var moved = Self.list
    moved.swapAt(10, 25)
    let script = read(.pages(size: 20), .watch, states: [Self.list, moved])
    #expect(script.ids.filter { $0 == 10 }.count == 1)
  }

  @Test("items with equal keys that change places across a seam are all given, once")
  func ties() {
    // 18 to 22 tie: the first page ends with 18 and 19, the second has them in another order.
    let other = Array(0..<18) + [18, 22, 20, 19, 21] + Array(23..<60)
    let script = read(.pages(size: 20), .watch, states: [Self.list, other])
    #expect(Set(script.ids).count == script.ids.count)
    #expect(script.ids.contains(20) && script.ids.contains(21))
    let pushed = Array(0..<17) + [20, 21, 22, 18, 19, 17] + Array(23..<60)
    let second = read(.pages(size: 20), .watch, states: [Self.list, pushed])
    #expect(Set(second.ids).count == second.ids.count && second.ids.contains(23))
  }

  @Test("items without ids are given by their places")
  func unidentified() {
    for shifts in Shifts.allCases {
      let script = Script(.model(.pages(size: 20), shifts: shifts), limit: 7) { request in
        .page(Self.list.paged(request.number("page")!, 20), hasIDs: false)
      }
      #expect(script.ids == Self.list)
    }
  }

  // A page of the model has a body of 800,000 bytes.

  @Test("a seam that cannot be looked for beside the slice's answers is left to the next slice")
  func noRoom() {
    let limits = Limits(emptyPages: 5, emptyRun: 100, pages: 100, seamPages: 8, bytes: 1_000_000)
    let rest = Array(Self.list.dropFirst(3))
    var count = 0
    let script = Script(.model(.pages(size: 20), limits: limits), limit: 60) { request in
      let list = count == 0 ? Self.list : rest
      count += 1
      let size = request.number("size")!
      return .page(list.paged(request.number("page")!, size), .total(list.count))
    }
    #expect(script.ids == Self.list)
    #expect(script.slices.first?.count == 20)
    #expect(script.warnings.contains("bytes_limited") && !script.warnings.contains("seam_unproven"))
  }

  @Test(
    "a whole walk gives a search up that alone has brought more bytes than a slice may hold",
    arguments: [(2_000_000, 3), (4_000_000, 5), (32_000_000, 17)])
  func boundedSearch(bytes: Int, requestCount: Int) {
    let limits = Limits(emptyPages: 5, emptyRun: 100, pages: 100, seamPages: 8, bytes: bytes)
    let plan = WalkPlan.model(.pages(size: 20, isAsked: false), shifts: .exact, limits: limits)
    let list = Array(0..<800)
    var first = Walk(plan: plan, pageFrom: nil, limit: .max)
    first.receive(.of(list.prefix(20)))
    guard case .finish(let slice) = first.next() else { return #expect(Bool(false)) }
    // All that was served is gone, and so is all that was to come next.
    let rest = Array(list.dropFirst(40))
    var walk = Walk(plan: plan, pageFrom: slice.next, limit: .max)
    var requests = 0
    while case .fetch(let request) = walk.next() {
      requests += 1
      walk.receive(.of(rest.paged(request.number("page")!, 20)))
    }
    guard case .finish(let next) = walk.next() else { return #expect(Bool(false)) }
    #expect(requests == requestCount)
    #expect(next.count == 20 && next.warnings.contains(.seamUnproven))
  }
}
