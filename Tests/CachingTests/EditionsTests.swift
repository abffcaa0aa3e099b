import Caching
import TestSupport
import Testing

@Suite("Editions")
struct EditionsTests {
  @Test("a first page that changed begins an edition, one that did not goes on with it")
  func begins() {
    var editions = Editions(capacity: 4)
    #expect(editions.current(list: 0, series: [1]) == nil)
    #expect(editions.receive(firstPage: 9, list: 0, series: [1], stamp: 100) == 100)
    #expect(editions.receive(firstPage: 9, list: 0, series: [1], stamp: 200) == 100)
    #expect(editions.receive(firstPage: 8, list: 0, series: [1], stamp: 300) == 300)
    // Twice within one stamp: still a later edition.
    #expect(editions.receive(firstPage: 7, list: 0, series: [1], stamp: 300) == 301)
    #expect(editions.current(list: 0, series: [1]) == 301)
    #expect(editions.current(list: 1, series: [1]) == nil)
  }

  @Test(
    "a page stands to a walk as its edition does",
    arguments: [
      (5, nil, 5, .current), (5, 5, 5, .current), (5, 5, 7, .superseded), (7, 5, 7, .current),
      (4, 5, 7, .outdated), (6, 5, 7, .outdated), (5, nil, 7, .outdated), (4, 5, 5, .outdated),
      // The series is forgotten, or the walk began at another replica.
      (5, nil, nil, .current), (5, 5, nil, .current), (4, 5, nil, .outdated), (5, 9, 5, .outdated),
    ] as [(UInt32, UInt32?, UInt32?, Editions.Standing)])
  func standing(page: UInt32, walk: UInt32?, current: UInt32?, expected: Editions.Standing) {
    #expect(Editions.standing(of: page, walk: walk, current: current) == expected)
  }

  @Test("knows what its model knows, and never more series than it may", arguments: RandomRun.seeds)
  func model(seed: UInt64) throws {
    var run = RandomRun(seed: seed)
    var editions = Editions(capacity: 10)
    /// Oldest edition first.
    var model: [(series: [UInt8], edition: UInt32, page: UInt64)] = []
    for step in 0..<RandomRun.steps {
      let series = [UInt8(run.number(0...15))]
      let index = model.firstIndex { $0.series == series }
      guard editions.current(list: 3, series: series) == index.map({ model[$0].edition }) else {
        throw Differs("step \(step): current")
      }
      let page = UInt64(run.number(0...2))
      let edition = editions.receive(firstPage: page, list: 3, series: series, stamp: UInt32(step / 10))
      if let index, model[index].page == page {
        guard edition == model[index].edition else { throw Differs("step \(step): began anew") }
      } else {
        let before = index.map { model.remove(at: $0).edition } ?? 0
        guard edition == max(UInt32(step / 10), before + 1) else { throw Differs("step \(step): \(edition)") }
        model.append((series, edition, page))
        if model.count > 10 { model.removeFirst() }
      }
      guard editions.count == model.count else { throw Differs("step \(step): \(editions.count) series") }
    }
  }
}
