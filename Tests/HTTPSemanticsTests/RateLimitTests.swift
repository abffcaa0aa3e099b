import Testing

@testable import HTTPSemantics

@Suite("RateLimit")
struct RateLimitTests {
  private static let now: Int64 = 1_790_000_000

  private func read(_ lines: [(String, String)]) -> RateLimit? {
    var fields = Fields()
    for (name, value) in lines { fields.append(name.utf8Span.span, value.utf8Span.span) }
    return RateLimit(fields, now: Self.now)
  }

  @Test(
    "reads a reset as seconds, as a date of any kind",
    arguments: [
      ("30", 30), ("0", 0), ("1790000030", 30), ("1790000030000", 30), ("1789999000", 0), ("12.5", 12),
      ("Mon, 21 Sep 2026 14:13:50 GMT", 30), ("soon", nil), ("", nil), ("-1", nil), ("1234567890123456", nil),
    ] as [(String, Int?)])
  func reset(value: String, seconds: Int?) {
    let limit = read([
      ("X-RateLimit-Limit", "100"), ("x-ratelimit-remaining", "7"), ("X-RateLimit-Reset", value),
    ])
    #expect(limit == seconds.map { RateLimit(remaining: 7, limit: 100, reset: .seconds($0)) })
  }

  @Test("reads the fields by each of their names, and needs to know what is left and for how long")
  func names() {
    for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] {
      let lines = [("\(prefix)Limit", "100, 100;w=60"), ("\(prefix)Remaining", "0"), ("\(prefix)Reset", "9")]
      #expect(read(lines) == RateLimit(remaining: 0, limit: 100, reset: .seconds(9)))
      #expect(read(Array(lines[1...])) == RateLimit(remaining: 0, limit: nil, reset: .seconds(9)))
      #expect(read(Array(lines[..<2])) == nil)
      #expect(read([lines[0], lines[2]]) == nil)
    }
    #expect(read([]) == nil)
  }

  @Test(
    "reads the structured field, and of several policies the one with the least left",
    arguments: [
      (#""default";r=50;t=30"#, nil, 50, nil, 30),
      (#""default";r=50;t=30"#, #""default";q=100;w=60"#, 50, 100, 30),
      (#""a";r=50;t=30, "b";r=3;t=3600"#, #""a";q=100;w=60, "b";q=5000;w=3600"#, 3, 5_000, 3_600),
      (#""b" ; t=3600 ; r=3 , "a";r=50;t=30"#, #""a";q=100"#, 3, nil, 3_600),
      ("limit=100, remaining=50, reset=5", nil, 50, 100, 5),
      (#""c;d";r=1;t=2"#, #""c;d";w=1;q=9"#, 1, 9, 2),
    ] as [(String, String?, Int, Int?, Int)])
  func structured(value: String, policy: String?, remaining: Int, limit: Int?, reset: Int) {
    let policy = policy.map { [("RateLimit-Policy", $0)] } ?? []
    #expect(
      read([("RateLimit", value)] + policy)
        == RateLimit(remaining: remaining, limit: limit, reset: .seconds(reset)))
  }

  @Test(
    "takes nothing from what it does not understand",
    arguments: [#""default""#, #""default";r=1"#, #""default";t=1"#, "r=x;t=1", "", ";;,,;", "remaining=5"])
  func nothing(value: String) { #expect(read([("RateLimit", value)]) == nil) }
}
