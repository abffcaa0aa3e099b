import JSON
import Testing

@testable import Paging

/// How a position moves, and what a failure does to it.
@Suite struct MovingOnTests {
  @Test("a failed page is asked for again, never skipped", arguments: [20, 30, 100])
  func failedPage(limit: Int) {
    var failures = 0
    let script = Script(.model(.pages(size: 20)), limit: limit) { request in
      let number = request.number("page")!
      if number == 2, failures < 2 {
        failures += 1
        return .timeout
      }
      return .page((0..<90).paged(number, 20))
    }
    #expect(script.ids == Array(0..<90))
    #expect(script.pages.filter { $0 == 2 }.count >= 3)
  }

  @Test("a slice whose later page fails is given short, with a warning and a next")
  func shortSlice() {
    var hasFailed = false
    let script = Script(.model(.pages(size: 20)), limit: 50) { request in
      if request.number("page") == 3, !hasFailed {
        hasFailed = true
        return .timeout
      }
      return .page((0..<60).paged(request.number("page")!, 20), .total(60))
    }
    #expect(script.slices.map(\.count) == [40, 20])
    #expect(script.slices[0].warnings.entries.map(\.text) == ["page_failed:upstream_timeout"])
    #expect(script.slices[0].hasMore && script.ids == Array(0..<60))
  }

  @Test("a slice cut out of the middle of a page asks for that page again and goes on behind what was served")
  func recut() {
    let script = Script(.model(.pages(size: 20)), limit: 7) { .page((0..<33).paged($0.number("page")!, 20)) }
    #expect(script.ids == Array(0..<33))
    #expect(script.slices.map(\.count) == [7, 7, 7, 7, 5])
    #expect(script.pages == [1, 1, 1, 2, 2, 2])
  }

  @Test("a slice asks for no more pages than one slice may, and says so")
  func pageLimit() {
    let limits = Limits(emptyPages: 5, emptyRun: 100, pages: 3, seamPages: 8, bytes: .max)
    let script = Script(.model(.pages(size: 2), limits: limits), limit: 100) {
      .page((0..<11).paged($0.number("page")!, 2))
    }
    #expect(script.ids == Array(0..<11))
    #expect(script.slices[0].count == 6)
    #expect(script.slices[0].warnings.entries.map(\.text) == ["pages_limited"])
  }

  @Test("a slice holds no more of its upstream's bytes than it may, is short then, and says so")
  func byteLimit() {
    func script(_ bytes: Int) -> Script {
      let limits = Limits(emptyPages: 5, emptyRun: 100, pages: 100, seamPages: 8, bytes: bytes)
      return Script(.model(.pages(size: 2), limits: limits), limit: 100) {
        .page((0..<11).paged($0.number("page")!, 2))
      }
    }
    let pageBytes = script(.max).slices[0].pieces[0].page.body.count
    let short = script(pageBytes + 1)
    #expect(short.ids == Array(0..<11))
    #expect(short.slices[0].count == 4)
    #expect(short.slices[0].warnings.entries.map(\.text) == ["bytes_limited"])
    let whole = script(pageBytes * 100)
    #expect(whole.slices.map(\.count) == [11])
    #expect(whole.slices[0].warnings.isEmpty)
  }

  @Test("numbers are sent as the upstream counts: from 0, from 1, with a prefix")
  func counting() {
    let zero = Script(.model(.pages(first: 0, size: 5)), limit: 5) {
      .page((0..<12).paged($0.number("page")! + 1, 5))
    }
    #expect(zero.pages == [0, 1, 2])
    let style = Style.offset(
      Offset(
        offset: .query("token"), first: 0, prefix: "T", size: PageSize(placement: nil, value: 20),
        ending: .counted))
    let prefixed = Script(.model(style), limit: 20) { request in
      .page((0..<50).dropFirst(Int(request.token!.dropFirst())!).prefix(20))
    }
    #expect(prefixed.requests.map { $0.token! } == ["T0", "T20", "T40"])
    #expect(prefixed.ids == Array(0..<50))
  }

  @Test("a range is asked for in its unit, bounds included")
  func ranges() {
    let script = Script(.model(.ranges(size: 20)), limit: 20) { request in
      let start = Int(request.text("Range")!.dropFirst(6).split(separator: "-")[0])!
      return .page((0..<33).dropFirst(start).prefix(20))
    }
    #expect(script.requests.map { $0.text("Range")! } == ["items=0-19", "items=20-39"])
    #expect(script.ids == Array(0..<33))
  }

  @Test("a whole list is cut into slices, and its items are its total")
  func whole() {
    let script = Script(.model(.whole(Whole())), limit: 20) { _ in .page(0..<50) }
    #expect(script.slices.map(\.count) == [20, 20, 10])
    #expect(script.slices.map(\.total) == [50, 50, 50])
    #expect(script.ids == Array(0..<50))
  }
}
