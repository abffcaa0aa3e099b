import Gateway
import JSON
import TestSupport

/// What every store of pages does: each case is given an empty one, and says what is wrong.
package struct StoreContract: Sendable, CustomStringConvertible {
  package let description: String
  package let run: @Sendable (StoreBench) throws -> Void

  private init(_ description: String, _ run: @escaping @Sendable (StoreBench) throws -> Void) {
    self.description = description
    self.run = run
  }

  private static func check(_ isTrue: Bool, _ what: String) throws {
    if !isTrue { throw TestFailure(what) }
  }

  package static let all = [
    StoreContract("what was never stored is not found") { bench in
      try check(bench.find(.sample()) == nil, "something is found")
    },
    StoreContract("a page is found as it was stored") { bench in
      let page = StoredPage.sample(#"{"items":[9007199254740993]}"#, edition: 12)
      bench.store(page, as: .sample())
      let found = bench.findUntil(.sample()) { $0 != nil }
      try check(found?.text == page.text, "another body")
      try check(found?.fields == page.fields && found?.status == 200, "another answer")
      try check(found?.edition == 12 && found?.lifetime == page.lifetime, "another edition or lifetime")
      try check(bench.find(.sample(page: 1)) == nil, "found under another key")
    },
    StoreContract("a later page takes the place of the one before") { bench in
      bench.store(.sample("1"), as: .sample())
      _ = bench.findUntil(.sample()) { $0?.text == "1" }
      bench.store(.sample("2", edition: 2), as: .sample())
      try check(bench.findUntil(.sample()) { $0?.text == "2" }?.edition == 2, "not replaced")
    },
    StoreContract("a page that lives on keeps its content") { bench in
      let page = StoredPage.sample("1")
      bench.store(page, as: .sample())
      _ = bench.findUntil(.sample()) { $0 != nil }
      var lifetime = page.lifetime
      lifetime.freshUntil += 60_000
      lifetime.keepUntil += 60_000
      bench.renew(.sample(), edition: 3, lifetime)
      let found = bench.findUntil(.sample()) { $0?.edition == 3 }
      try check(found?.lifetime == lifetime && found?.text == "1", "not renewed")
    },
    StoreContract("a page that is not stored does not come to be by being renewed") { bench in
      bench.renew(.sample(), edition: 3, StoredPage.sample("").lifetime)
      bench.store(.sample("other"), as: .sample(page: 1))
      _ = bench.findUntil(.sample(page: 1)) { $0 != nil }
      try check(bench.find(.sample()) == nil, "it is there")
    },
    StoreContract("a page whose time is over is not found") { bench in
      bench.store(.sample("1", born: unixMilliseconds() - 10_000, keptFor: 9_000), as: .sample())
      bench.store(.sample("2"), as: .sample(page: 1))
      _ = bench.findUntil(.sample(page: 1)) { $0 != nil }
      try check(bench.findUntil(.sample()) { $0 == nil } == nil, "it is there")
    },
    StoreContract("large pages, empty ones, and any bytes are stored") { bench in
      var random = SeededRandom(seed: 3)
      let large = (0..<2_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      for (index, body) in [large, [], [0], Array("\r\n\0\u{FF}".utf8)].enumerated() {
        bench.store(.sample(body), as: .sample(page: index))
        let found = bench.findUntil(.sample(page: index)) { $0 != nil }
        try check(found.map { $0.body[0..<$0.body.count] } == body, "body \(index)")
      }
    },
    StoreContract("purging takes what it names, and nothing else") { bench in
      func fill() {
        for list in ["a", "a*", "b"] {
          for series: UInt8 in 0..<3 {
            for page in 0..<3 {
              bench.store(.sample("x"), as: .sample(list: list, series: series, page: page))
            }
          }
        }
        _ = bench.findUntil(.sample(list: "b", series: 2, page: 2)) { $0 != nil }
      }
      func left() -> Int {
        ["a", "a*", "b"].reduce(0) { sum, list in
          (0..<9).reduce(sum) { sum, index in
            let key = StoreKey.sample(list: list, series: UInt8(index / 3), page: index % 3)
            return sum + (bench.find(key) == nil ? 0 : 1)
          }
        }
      }
      fill()
      let series = StoreKey.sample(list: "a*", series: 1).series
      try check(bench.purge(.series(list: "a*", series)) == 3, "the count of a series")
      try check(left() == 24 && bench.find(.sample(list: "a*", series: 1)) == nil, "a series")
      try check(bench.purge(.list("a*")) == 6, "the count of a list")
      try check(left() == 18 && bench.find(.sample(list: "a*")) == nil, "a list")
      try check(bench.purge(.all) == 18 && left() == 0, "all")
      fill()
      try check(left() == 27, "stored again")
    },
    StoreContract("random words on few pages leave what a dictionary would hold") { bench in
      var random = SeededRandom(seed: 11)
      var model: [StoreKey: (text: String, edition: UInt32)] = [:]
      for step in 0..<400 {
        let key = StoreKey.sample(
          list: ["a", "b"][Int.random(in: 0..<2, using: &random)],
          series: UInt8.random(in: 0..<2, using: &random),
          page: Int.random(in: 0..<3, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9:
          model[key] = ("page \(step)", UInt32(step))
          bench.store(.sample("page \(step)", edition: UInt32(step)), as: key)
        case 9..<12:
          // Behind a page that is not written yet it may come to nothing only where there is no page.
          if model[key] != nil {
            model[key]?.edition = UInt32(step)
            bench.renew(key, edition: UInt32(step), StoredPage.sample("").lifetime)
          }
        case 12:
          model = model.filter { $0.key.list != key.list || $0.key.series != key.series }
          try check(bench.purge(.series(list: key.list, key.series)) != nil, "purge")
        case 13:
          model = model.filter { $0.key.list != key.list }
          try check(bench.purge(.list(key.list)) != nil, "purge")
        default:
          let found = bench.findUntil(key) {
            $0?.text == model[key]?.text && $0?.edition == model[key]?.edition
          }
          try check(found?.text == model[key]?.text, "step \(step): \(found?.text ?? "nothing")")
        }
      }
    },
    StoreContract("of those who claim a page one fetches it, and the others get what it stored") { bench in
      guard case .fetch(let lease) = bench.claim(.sample(), wait: .seconds(10)) else {
        throw TestFailure("the first does not fetch")
      }
      guard bench.isShared else { return try check(lease == nil, "a lease of a store that nobody shares") }
      try check(lease != nil, "no lease")
      let others = (0..<3).map { _ in bench.beginClaim(.sample(), wait: .seconds(10)) }
      pause(milliseconds: 30)
      try check(others.allSatisfy { !$0.isThere }, "did not wait")
      bench.store(.sample("fetched"), as: .sample())
      for other in others {
        guard case .found(let page) = other.wait() else { throw TestFailure("fetches as well") }
        try check(page.text == "fetched", "another page")
      }
      // Stored is stored: the claim is over.
      guard case .found = bench.claim(.sample(), wait: .seconds(10)) else { throw TestFailure("not found") }
    },
    StoreContract("a page that is too old is fetched by one, and by the next when that one gives up") {
      bench in
      guard bench.isShared else { return }
      let old = StoredPage.sample("old", born: unixMilliseconds() - 60_000)
      bench.store(old, as: .sample())
      _ = bench.findUntil(.sample()) { $0 != nil }
      guard case .fetch(let lease?) = bench.claim(.sample(), after: old.lifetime.born, wait: .seconds(10))
      else {
        throw TestFailure("the old page does")
      }
      let other = bench.beginClaim(.sample(), after: old.lifetime.born, wait: .seconds(10))
      pause(milliseconds: 30)
      try check(!other.isThere, "did not wait")
      bench.release(lease)
      guard case .fetch = other.wait() else { throw TestFailure("the old page does") }
    },
    StoreContract("who claimed and went away is waited for no longer than was said") { bench in
      guard bench.isShared else { return }
      guard case .fetch(.some) = bench.claim(.sample(), wait: .milliseconds(150)) else {
        throw TestFailure("no lease")
      }
      guard case .fetch = bench.claim(.sample(), wait: .milliseconds(150)) else { throw TestFailure("found") }
    },
    StoreContract("another's lease is not released") { bench in
      guard bench.isShared else { return }
      guard case .fetch(let lease?) = bench.claim(.sample(), wait: .seconds(10)) else {
        throw TestFailure("no lease")
      }
      bench.release(StoreLease(key: lease.key, token: lease.token + [0x31]))
      let other = bench.beginClaim(.sample(), wait: .seconds(10))
      pause(milliseconds: 50)
      try check(!other.isThere, "it was released")
      bench.release(lease)
      _ = other.wait()
    },
  ]
}
