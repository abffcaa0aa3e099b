import Access
import Resilience
import TestSupport
import Testing

@Suite("Clients' limits")
struct ClientBucketsTests {
  private let start = ContinuousClock.Instant.now
  private let rate = ClientRate(count: 10, period: .seconds(1), burst: 3)

  @Test("each client has its own bucket, and is told how many are left and when there are more")
  func buckets() {
    var buckets = ClientBuckets(capacity: 100)
    let verdicts = (0..<4).map { _ in buckets.take("a", rate, at: start) }
    #expect(verdicts.map(\.isAllowed) == [true, true, true, false])
    #expect(verdicts.map(\.remaining) == [2, 1, 0, 0])
    #expect(
      verdicts.map(\.reset) == [
        .milliseconds(100), .milliseconds(200), .milliseconds(100), .milliseconds(100),
      ])
    #expect(buckets.take("b", rate, at: start).isAllowed)
    #expect(!buckets.take("a", rate, at: start + .milliseconds(99)).isAllowed)
    #expect(buckets.take("a", rate, at: start + .milliseconds(100)).isAllowed)
    #expect(buckets.take("a", rate, at: start + .seconds(9)).remaining == 2)
  }

  @Test("who asks evenly at the rate is never refused; twice as fast, half the time")
  func even() {
    var buckets = ClientBuckets(capacity: 100)
    func allowed(_ client: String, every: Duration) -> Int {
      (0..<1_000).count { buckets.take(client, rate, at: start + every * $0).isAllowed }
    }
    #expect(allowed("even", every: .milliseconds(100)) == 1_000)
    #expect((500...503).contains(allowed("fast", every: .milliseconds(50))))
  }

  @Test("many clients are bounded, and one that goes on asking is not forgotten among them")
  func bounded() {
    var buckets = ClientBuckets(capacity: 100)
    let slow = ClientRate(count: 1, period: .seconds(3_600), burst: 1)
    #expect(buckets.take("steady", slow, at: start).isAllowed)
    for number in 0..<10_000 {
      _ = buckets.take("\(number)", slow, at: start)
      #expect(buckets.count <= 100)
      if number % 20 == 0 { #expect(!buckets.take("steady", slow, at: start).isAllowed) }
    }
  }

  @Test(
    "the policy is told as it is",
    arguments: [
      (ClientRate(count: 100, period: .seconds(60), burst: 100), #""client";q=100;w=60"#),
      (ClientRate(count: 10, period: .seconds(1), burst: 30), #""client";q=30;w=3"#),
      (ClientRate(count: 10, period: .milliseconds(100), burst: 1), #""client";q=100;w=1"#),
    ])
  func policy(_ rate: ClientRate, _ text: String) { #expect(rate.policy == text) }
}
