import HTTPSemantics
import TestSupport
import Testing

@testable import Paging

/// Lists that are asked for by time.
@Suite struct WindowTests {
  static let day = 86_400
  /// 2024-05-20, in days since 1970.
  static let today = 19_863

  static func window(
    length: Window.Length = .seconds(7 * day), direction: Window.Direction = .backward,
    earliest: Window.Bound? = .day(19_800),
    latest: Window.Bound? = nil, form: TimeForm = .days, zone: Int = 0, includesEnd: Bool = true
  ) -> Style {
    .window(
      Window(
        from: .query("from"), to: .query("to"), length: length, direction: direction, earliest: earliest,
        latest: latest, form: form, zone: zone, includesEnd: includesEnd))
  }

  /// Every window of a walk in which each has one item, as `from…to`.
  private func windows(_ style: Style, now: Int = today * day + 51_234, arguments: [String?] = []) -> [String]
  {
    var windows: [String] = []
    let occasion = Occasion(unixSeconds: now, arguments: arguments.map { $0.map { Array($0.utf8) } })
    var position: Position?
    for _ in 0..<200 {
      var walk = Walk(plan: .model(style), on: occasion, from: position, limit: 1)
      while case .fetch(let request) = walk.next() {
        windows.append("\(request.text("from")!)…\(request.text("to")!)")
        walk.receive(.of([windows.count]))
      }
      guard case .finish(let slice) = walk.next(), let next = slice.next else { return windows }
      position = try? Position(decoding: next.encode())
    }
    return windows
  }

  @Test("windows go back from today to the first day, without a gap and without a day twice")
  func backward() {
    #expect(
      windows(Self.window(earliest: .day(Self.today - 15))) == [
        "2024-05-14…2024-05-20", "2024-05-07…2024-05-13", "2024-05-05…2024-05-06",
      ])
  }

  @Test("windows go forward from the first day until they reach today")
  func forward() {
    #expect(
      windows(Self.window(direction: .forward, earliest: .day(Self.today - 15))) == [
        "2024-05-05…2024-05-11", "2024-05-12…2024-05-18", "2024-05-19…2024-05-20",
      ])
  }

  @Test("an end that does not belong to its window is the beginning of the next")
  func exclusive() {
    #expect(
      windows(Self.window(earliest: .day(Self.today - 8), includesEnd: false)) == [
        "2024-05-14…2024-05-21", "2024-05-12…2024-05-14",
      ])
  }

  @Test("months, quarters and years are the calendar's, cut where the list begins and ends")
  func months() {
    #expect(
      windows(Self.window(length: .months(1), earliest: .day(Self.today - 90))) == [
        "2024-05-01…2024-05-20", "2024-04-01…2024-04-30", "2024-03-01…2024-03-31", "2024-02-20…2024-02-29",
      ])
    let quarters = Self.window(
      length: .months(3), direction: .forward, earliest: .day(Self.today - 200), includesEnd: false)
    #expect(
      windows(quarters) == ["2023-11-02…2024-01-01", "2024-01-01…2024-04-01", "2024-04-01…2024-05-21"])
    #expect(
      windows(Self.window(length: .months(12), earliest: .day(-1), latest: .day(Self.today - 19_497))) == [
        "1971-01-01…1971-01-02", "1970-01-01…1970-12-31", "1969-12-31…1969-12-31",
      ])
  }

  @Test("months of the first and of the last year there is have an end, too", arguments: [1, 7, 1_200])
  func farMonths(months: Int) {
    let style = Self.window(
      length: .months(months), direction: .forward, earliest: .day(2_932_890), latest: .day(2_932_896))
    #expect(windows(style) == ["9999-12-25…9999-12-31"])
    let plan = WalkPlan.model(Self.window(length: .months(months), earliest: nil))
    let early = try? Position(decoding: Self.position(windowTo: -62_135_596_800 + 86_400).encode())
    var walk = Walk(plan: plan, on: Occasion(unixSeconds: 0, arguments: []), from: early, limit: 3)
    var requests = 0
    while case .fetch = walk.next(), requests < 10 {
      requests += 1
      walk.receive(.of([requests]))
    }
    #expect(requests == 1)
  }

  private static func position(windowTo end: Int) -> Position {
    Position(place: .window(from: end - 86_400, to: end))
  }

  @Test("times are written as the upstream reads them, by its own clock")
  func forms() {
    let hour = 3_600
    func first(_ form: String, length: Int, zone: Int = 0, includesEnd: Bool = true) -> String? {
      windows(
        Self.window(
          length: .seconds(length), form: TimeForm(form)!, zone: zone, includesEnd: includesEnd)
      ).first
    }
    #expect(first("YYYYMMDD", length: Self.day) == "20240520…20240520")
    #expect(first("YYYYMMDD", length: Self.day, zone: 10 * hour) == "20240521…20240521")
    #expect(first("DD.MM.YYYY", length: 2 * Self.day) == "19.05.2024…20.05.2024")
    // 14:13:54 in UTC.
    #expect(
      first("YYYY-MM-DDThh:mm:ssZ", length: hour) == "2024-05-20T13:13:55Z…2024-05-20T14:13:54Z")
    #expect(
      first("YYYY-MM-DD hh:mm", length: hour, zone: -hour, includesEnd: false)
        == "2024-05-20 12:14…2024-05-20 13:14")
    #expect(first("seconds", length: 60) == "1716214375…1716214434")
    #expect(first("seconds", length: 60, zone: hour, includesEnd: false) == "1716214375…1716214435")
    #expect(first("milliseconds", length: 60) == "1716214375000…1716214434999")
  }

  @Test(
    "a pattern needs year, month and day, and no smaller unit without the larger ones",
    arguments: [
      "", "YYYY-MM", "yyyy-mm-dd", "YYYY-MM-DD mm", "YYYY-MM-DD hh:ss", "YYYY YYYY-MM-DD", "second",
      "DD.MM.YY",
    ])
  func noForms(text: String) {
    #expect(TimeForm(text) == nil)
  }

  @Test("first and last day may be parameters, and a list that ends before it begins is empty")
  func parameters() {
    let style = Self.window(direction: .forward, earliest: .parameter(1), latest: .parameter(0))
    #expect(windows(style, arguments: ["2020-02-29", "2020-02-28"]) == ["2020-02-28…2020-02-29"])
    #expect(windows(style, arguments: [nil, "2024-05-19"]) == ["2024-05-19…2024-05-20"])
    #expect(windows(style, arguments: ["2020-01-01", "2020-01-02"]) == [])
    #expect(windows(style, arguments: [nil, "2030-01-01"]) == [])
  }

  @Test("a walk that goes on another day goes on where it was")
  func anotherDay() {
    let plan = WalkPlan.model(Self.window(earliest: .day(Self.today - 10)))
    func walk(_ position: Position?, now: Int) -> Walk {
      Walk(plan: plan, on: Occasion(unixSeconds: now, arguments: []), from: position, limit: 1)
    }
    var first = walk(nil, now: Self.today * Self.day)
    first.receive(.of([1]))
    guard case .finish(let slice) = first.next() else { return #expect(Bool(false)) }
    guard case .fetch(let request) = walk(slice.next, now: (Self.today + 3) * Self.day).next() else {
      return #expect(Bool(false))
    }
    #expect(request.text("from") == "2024-05-10" && request.text("to") == "2024-05-13" && request.follows)
  }

  @Test("times without items are walked through to a first day that is known")
  func gaps() {
    let plan = WalkPlan.model(Self.window(length: .seconds(Self.day), earliest: .day(Self.today - 300)))
    var position: Position?
    var windows = 0
    var slices = 0
    repeat {
      var walk = Walk(
        plan: plan, on: Occasion(unixSeconds: Self.today * Self.day, arguments: []), from: position, limit: 5)
      while case .fetch = walk.next() {
        windows += 1
        walk.receive(.of(windows == 301 ? [1] : []))
      }
      guard case .finish(let slice) = walk.next() else { return #expect(Bool(false)) }
      slices += 1
      position = slice.next
      if position == nil { #expect(slice.count == 1) }
    } while position != nil
    #expect(windows == 301 && slices == 61)
  }

  @Test("without a first day, a hundred windows without items are the end")
  func emptyRun() {
    let plan = WalkPlan.model(Self.window(length: .seconds(Self.day), earliest: nil))
    var position: Position?
    var windows = 0
    var warnings: [String] = []
    repeat {
      var walk = Walk(
        plan: plan, on: Occasion(unixSeconds: Self.today * Self.day, arguments: []), from: position, limit: 5)
      while case .fetch = walk.next() {
        windows += 1
        walk.receive(.of(windows == 50 ? [1] : []))
      }
      guard case .finish(let slice) = walk.next() else { return #expect(Bool(false)) }
      warnings += slice.warnings.entries.map(\.text)
      position = slice.next
    } while position != nil
    #expect(windows == 50 + Limits.defaults.emptyRun)
    #expect(warnings.last == "loop_stopped")
  }

  @Test("an upstream that pays no regard to the window gives its items once, and the walk ends")
  func disregarded() {
    let plan = WalkPlan.model(Self.window(length: .seconds(Self.day), earliest: .day(0)))
    var walk = Walk(
      plan: plan, on: Occasion(unixSeconds: Self.today * Self.day, arguments: []), from: nil, limit: 100)
    var requests = 0
    while case .fetch = walk.next() {
      requests += 1
      walk.receive(.of([3, 2, 1]))
    }
    guard case .finish(let slice) = walk.next() else { return #expect(Bool(false)) }
    #expect(slice.count == 3 && !slice.hasMore && requests <= 1 + Limits.defaults.emptyPages)
    #expect(slice.warnings.contains(.loopStopped))
  }

  @Test("a failed window is asked for again, and one that was cut is gone on with")
  func failures() {
    let plan = WalkPlan.model(Self.window(earliest: .day(Self.today - 20)))
    let occasion = Occasion(unixSeconds: Self.today * Self.day, arguments: [])
    var random = SeededRandom(seed: 5)
    var position: Position?
    var ids: [Int] = []
    repeat {
      var walk = Walk(plan: plan, on: occasion, from: position, limit: 4)
      while case .fetch(let request) = walk.next() {
        if Int.random(in: 0..<4, using: &random) == 0 {
          walk.receive(PageFailure(status: nil, code: "upstream_timeout", meaning: nil))
        } else {
          let start = ["2024-05-14": 0, "2024-05-07": 10, "2024-04-30": 20][request.text("from")!]!
          walk.receive(.of(start..<start + 10))
        }
      }
      guard case .finish(let slice) = walk.next() else { continue }
      for piece in slice.pieces { ids += piece.page.items[piece.items].map(\.modelID) }
      position = slice.next
      if position == nil { break }
    } while true
    #expect(ids == Array(0..<30))
  }
}
