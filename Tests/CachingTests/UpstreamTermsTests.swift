import Caching
import HTTPSemantics
import Testing

@Suite("Upstream terms")
struct UpstreamTermsTests {
  private static let now: Int64 = 1_800_000_000
  private static let start = ContinuousClock.now

  private func fields(_ text: String) -> Fields {
    var fields = Fields()
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      fields.append(String(parts[0]).utf8Span.span, String(parts[1]).utf8Span.span)
    }
    return fields
  }

  private func date(_ offset: Int64) -> String { HTTPDate.text(unixSeconds: Self.now + offset) }

  private func lifetime(_ text: String, isAuthorized: Bool = false, delay: Int = 0) -> Lifetime? {
    UpstreamTerms(fields(text), now: Self.now).lifetime(
      isAuthorized: isAuthorized, keep: .seconds(1_000), requested: Self.start - .seconds(delay),
      received: Self.start, now: Self.now)
  }

  /// Fresh, stale and kept for so many seconds from now on.
  private func seconds(_ lifetime: Lifetime?) -> [Int64]? {
    lifetime.map {
      [$0.freshUntil, $0.staleUntil, $0.keepUntil].map { Self.start.duration(to: $0).components.seconds }
    }
  }

  @Test(
    "a page is fresh for what its answer says, in the order that RFC 9111 gives",
    arguments: [
      ("Cache-Control: max-age=60", [60, 60, 1_000]),
      ("Cache-Control: max-age=60, s-maxage=9", [9, 9, 1_000]),
      ("Cache-Control: max-age=60, stale-while-revalidate=30, stale-if-error=90", [60, 90, 150]),
      ("Cache-Control: max-age=60, must-revalidate, stale-while-revalidate=30", [60, 60, 1_000]),
      ("Cache-Control: no-cache, max-age=60", [0, 0, 1_000]), ("Expires: 0", [0, 0, 1_000]),
      ("Cache-Control: max-age=60\nAge: 20", [40, 40, 1_000]),
      ("Cache-Control: max-age=60\nAge: x", [60, 60, 1_000]),
      ("Cache-Control: max-age=60\nAge: 99", [0, 0, 1_000]), ("X: 1", [0, 0, 1_000]),
      ("Cache-Control: public", [0, 0, 1_000]),
    ])
  func explicit(text: String, expected: [Int64]) {
    #expect(seconds(lifetime(text)) == expected)
  }

  @Test("dates count from the answer's own, and an old answer is old")
  func dates() {
    #expect(seconds(lifetime("Date: \(date(0))\nExpires: \(date(50))"))?[0] == 50)
    // The upstream's clock is an hour behind: its answer seems an hour old.
    #expect(seconds(lifetime("Date: \(date(-3_600))\nExpires: \(date(-3_550))"))?[0] == 0)
    #expect(seconds(lifetime("Date: \(date(-10))\nCache-Control: max-age=60"))?[0] == 50)
    #expect(seconds(lifetime("Date: \(date(10))\nCache-Control: max-age=60"))?[0] == 60)
    // A tenth of the time without a change; a day at most.
    #expect(seconds(lifetime("Date: \(date(0))\nLast-Modified: \(date(-1_000))"))?[0] == 100)
    #expect(seconds(lifetime("Last-Modified: \(date(-90_000_000))"))?[0] == 86_400)
    // The time on the way counts.
    #expect(seconds(lifetime("Cache-Control: max-age=60\nAge: 20", delay: 5))?[0] == 35)
    #expect(lifetime("Cache-Control: max-age=60\nAge: 20")?.age(at: Self.start) == .seconds(20))
  }

  @Test(
    "what is not for a shared cache is not stored",
    arguments: [
      ("Cache-Control: no-store", false, false), ("Cache-Control: private, max-age=60", false, false),
      ("Vary: Accept, *", false, false), ("Vary: Accept", false, true),
      ("Cache-Control: max-age=60", true, false), ("Cache-Control: max-age=60, public", true, true),
      ("Cache-Control: s-maxage=60", true, true), ("Cache-Control: must-revalidate", true, true),
    ])
  func storing(text: String, isAuthorized: Bool, isStored: Bool) {
    #expect((lifetime(text, isAuthorized: isAuthorized) != nil) == isStored)
  }

  @Test("what must be checked again is never served unchecked")
  func checked() {
    for directive in ["must-revalidate", "proxy-revalidate", "no-cache", "s-maxage=1"] {
      #expect(lifetime("Cache-Control: \(directive)")?.mustRevalidate == true)
    }
    #expect(lifetime("Cache-Control: max-age=1")?.mustRevalidate == false)
  }

  @Test("a page is checked by its tag and its date, and a 304 renews what it says")
  func conditions() {
    let stored = UpstreamTerms(
      fields("ETag: \"a\"\nLast-Modified: \(date(-100))\nCache-Control: max-age=60\nDate: \(date(-50))"),
      now: Self.now)
    #expect(stored.canBeChecked)
    var conditions = Fields()
    stored.appendConditions(to: &conditions)
    #expect(conditions.text(.ifNoneMatch) == "\"a\"")
    #expect(conditions.text("If-Modified-Since") == date(-100))
    func fresh(_ terms: UpstreamTerms) -> Int64? {
      seconds(
        terms.lifetime(
          isAuthorized: false, keep: .seconds(1_000), requested: Self.start, received: Self.start,
          now: Self.now))?[0]
    }
    #expect(fresh(stored) == 10)
    // Nothing new but that it is so still: the old word holds, from now on.
    #expect(fresh(stored.updated(by: UpstreamTerms(fields("X: 1"), now: Self.now))) == 60)
    let renewed = stored.updated(by: UpstreamTerms(fields("Cache-Control: max-age=9"), now: Self.now))
    #expect(fresh(renewed) == 9 && renewed.canBeChecked)
    #expect(!UpstreamTerms(fields("ETag: a\nLast-Modified: yesterday"), now: Self.now).canBeChecked)
  }
}
