import TestSupport
import Testing

@testable import Paging

/// When a walk stops, and what it says of what follows.
@Suite struct EndOfListTests {
  static let sized = WalkPlan.model(.pages(size: 20))

  /// What a list of `count` items, in pages of 20, says on every page.
  private func read(
    _ count: Int, limit: Int = 20, said: Said = .nothing, plan: WalkPlan = sized,
    past: Result<Page, PageFailure> = .page([])
  ) -> Script {
    Script(plan, limit: limit) { request in
      let page = (0..<count).paged(request.number("page")!, 20)
      return page.isEmpty && request.number("page")! > 1 ? past : .page(page, said)
    }
  }

  @Test(
    "an empty list is one empty slice without a next",
    arguments: [
      Said.nothing, .total(0), .pageCount(0), .pageCount(1), .total(nil), .hasMore(false),
      .total(0, pageCount: 0, hasMore: false),
    ])
  func emptyList(said: Said) {
    let script = read(0, said: said)
    #expect(script.ids.isEmpty && script.slices.count == 1 && script.requests.count == 1)
    #expect(script.slices[0].total == said.total)
    #expect(script.warnings.isEmpty)
  }

  @Test(
    "nothing is asked for beyond what the page count says, even when the last page is full",
    arguments: [20, 40, 33])
  func pageCount(count: Int) {
    let script = read(count, said: .pageCount((count + 19) / 20))
    #expect(script.ids == Array(0..<count))
    #expect(script.requests.count == (count + 19) / 20)
    #expect(script.slices.last?.count != 0)
  }

  @Test("a short page ends a list that says nothing, without another request")
  func shortPage() {
    let script = read(33)
    #expect(script.ids == Array(0..<33) && script.pages == [1, 2])
  }

  @Test(
    "a last page that is exactly full is followed by an empty slice, for nothing better is known",
    arguments: [
      Result<Page, PageFailure>.page([]), .status(404), .status(400), .status(416),
    ])
  func fullLastPage(past: Result<Page, PageFailure>) {
    let script = read(40, past: past)
    #expect(script.ids == Array(0..<40) && script.pages == [1, 2, 3])
    #expect(script.slices.map(\.count) == [20, 20, 0])
    #expect(script.warnings.isEmpty && script.failures.isEmpty)
  }

  @Test(
    "the last page given again, or the first, instead of one past the end, ends the list", arguments: [1, 2],
    [true, false])
  func givenAgain(page: Int, hasIDs: Bool) {
    let list = Array(0..<40)
    let script = Script(Self.sized, limit: 20) { request in
      let number = request.number("page")!
      return .page(list.paged(number > 2 ? page : number, 20), hasIDs: hasIDs)
    }
    #expect(script.ids == list)
    #expect(script.warnings == ["loop_stopped"])
  }

  @Test("a page that calls itself by an earlier number than the one before lies past the end")
  func echo() {
    let script = Script(Self.sized, limit: 20) { request in
      let number = request.number("page")!
      var said = Said.nothing
      said.page = number < 3 ? number : 1
      return .page(number < 3 ? (0..<40).paged(number, 20) : Array(100..<120), said)
    }
    #expect(script.ids == Array(0..<40))
  }

  @Test("404 and 400 on the first page are failures, not an empty list", arguments: [400, 404, 416])
  func firstPageFails(status: Int) {
    var count = 0
    let script = Script(Self.sized, limit: 20) { _ in
      count += 1
      return count < 3 ? .status(status) : .page([1])
    }
    #expect(script.failures == [.page, .page] && script.ids == [1])
  }

  @Test("400 is a failure where more was promised: an offset beyond what the upstream allows is no end")
  func cappedOffset() {
    var refusals = 0
    let script = Script(.model(.offsets(size: 20)), limit: 20) { request in
      let offset = request.number("offset")!
      guard offset < 40 || refusals >= 3 else {
        refusals += 1
        return .status(400)
      }
      return .page((0..<60).dropFirst(offset).prefix(20), .hasMore(offset < 40))
    }
    #expect(script.failures == [.page, .page, .page])
    #expect(script.ids == Array(0..<60))
  }

  // MARK: Totals

  @Test("a total that is too low does not cut the list", arguments: [0, 1, 15, 20, 30, 40, 55])
  func totalTooLow(total: Int) {
    let script = read(57, said: .total(total))
    #expect(script.ids == Array(0..<57))
    #expect(script.slices.last?.total == nil)
  }

  @Test("a total that is too high ends at the empty page", arguments: [58, 80, 1_000_000])
  func totalTooHigh(total: Int) {
    for past in [Result<Page, PageFailure>.page([]), .status(404)] {
      let script = read(57, said: .total(total), past: past)
      #expect(script.ids == Array(0..<57) && script.pages == [1, 2, 3, 4])
      #expect(script.slices.last?.hasMore == false)
    }
  }

  @Test("the count of the page that is called a total is seen through")
  func countOfThePage() {
    let script = Script(Self.sized, limit: 20) { request in
      let page = (0..<57).paged(request.number("page")!, 20)
      return .page(page, .total(page.count))
    }
    #expect(script.ids == Array(0..<57))
    #expect(script.slices[1].total == nil)
    let led = Script(.model(.tokens(size: 20)), limit: 20) { request in
      let start = Int(request.token ?? "0")!
      return .page(
        (0..<57).dropFirst(start).prefix(20), .token(start + 20 < 57 ? "\(start + 20)" : nil, total: 20))
    }
    #expect(led.ids == Array(0..<57) && led.slices[0].total == nil)
  }

  @Test("a total of as many items as fill the pages is looked behind once, and then ends the list")
  func totalOfFullPages() {
    let script = read(40, said: .total(40))
    #expect(script.slices.map(\.count) == [20, 20] && script.pages == [1, 2, 3])
    #expect(script.slices.map(\.hasMore) == [true, false])
    #expect(script.slices.map(\.total) == [40, 40] && script.slices.map(\.pageCount) == [2, 2])
  }

  @Test(
    "a total that changes between pages informs, and ends nothing early or late",
    arguments: [[57, 40, 20], [57, 90, 57], [1, 57, 57]])
  func changingTotal(totals: [Int]) {
    let script = Script(.model(.pages(size: 20), shifts: .off), limit: 20) { request in
      let number = request.number("page")!
      return .page((0..<57).paged(number, 20), .total(totals[min(number, 3) - 1]))
    }
    #expect(script.ids == Array(0..<57))
    #expect(script.warnings.contains("total_changed"))
  }

  @Test("a total that is a lower bound does not end the list where it is reached")
  func lowerBound() {
    var said = Said.total(40)
    said.totalIsLowerBound = true
    #expect(read(57, said: said).ids == Array(0..<57))
  }

  // MARK: Page counts and flags

  @Test("a page count that counts from another size is derived again", arguments: [1, 2, 6])
  func pageCountOfAnotherSize(pageCount: Int) {
    let script = read(57, said: .total(57, pageCount: pageCount))
    #expect(script.ids == Array(0..<57))
    #expect(script.slices.allSatisfy { $0.pageCount == 3 })
  }

  @Test(
    "the page count follows from total and page size where it is not said", arguments: [0, 1, 20, 21, 57])
  func derivedPageCount(count: Int) {
    #expect(read(count, said: .total(count)).slices.allSatisfy { $0.pageCount == (count + 19) / 20 })
    #expect(read(count).slices.allSatisfy { $0.pageCount == nil && $0.total == nil })
  }

  @Test("a flag that says that more follows for ever ends after a few empty pages, with a warning")
  func flagForEver() {
    let script = read(30, said: .hasMore(true), past: .page([], .hasMore(true)))
    #expect(script.ids == Array(0..<30))
    #expect(script.pages.count == 2 + Limits.defaults.emptyPages)
    #expect(script.warnings.contains("loop_stopped"))
  }

  @Test("a flag that is wrong at the end does not lose what follows")
  func flagAgainstTotal() {
    #expect(read(57, said: .total(57, hasMore: false)).ids == Array(0..<57))
  }

  @Test("an empty page in the middle is stepped over where more was promised")
  func emptyInTheMiddle() {
    let script = Script(Self.sized, limit: 20) { request in
      let number = request.number("page")!
      return .page(number == 2 ? [] : (0..<57).paged(number, 20), .pageCount(3))
    }
    #expect(script.ids == Array(0..<20) + Array(40..<57))
    #expect(script.warnings == ["empty_page_skipped"])
  }

  // MARK: Page sizes

  @Test("an upstream that caps the page size loses nothing and repeats nothing", arguments: [100, 50, 10])
  func cappedSize(cap: Int) {
    for talk in StillListTests.talks {
      for style in [Style.pages(size: 500), .offsets(size: 500)] {
        var upstream = ModelUpstream(Array(0..<237), style, random: SeededRandom(seed: 1))
        upstream.cap = cap
        upstream.talk = talk
        for shifts in Shifts.allCases {
          var reader = Reader(upstream, limits: [70], shifts: shifts)
          reader.readAll()
          #expect(reader.ids == upstream.list, "\(talk) \(style) \(shifts)")
        }
      }
    }
  }

  @Test("a page size is kept through the whole walk, and 0 is never sent", arguments: [Shifts.watch, .off])
  func oneSize(shifts: Shifts) {
    var plan = WalkPlan.model(.pages(size: 20), shifts: shifts)
    let script = Script(plan, limit: 7) { .page((0..<90).paged($0.number("page")!, 20)) }
    #expect(Set(script.requests.map { $0.number("size") }) == [20])
    plan = .model(.pages(size: 0))
    #expect(Script(plan, limit: 7) { _ in .page([]) }.requests.allSatisfy { $0.text("size") == nil })
  }
}
