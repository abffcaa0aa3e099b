import Access
import Configuration
import HTTPSemantics
import Resilience
import Synchronization

/// How often each client may ask, all loops together. The one seam for a limit that replicas share: whoever keeps it elsewhere
/// answers what this answers.
final class ClientLimits: Sendable {
  /// Clients that are known at once at most: about 15 MB.
  static let capacity = 100_000

  private final class Shard: Sendable {
    let buckets = Mutex(ClientBuckets(capacity: ClientLimits.capacity / ClientLimits.shardCount))
  }

  /// As many locks, so that loops seldom meet at one.
  private static let shardCount = 16
  private let shards = (0..<shardCount).map { _ in Shard() }

  /// One more request of `client`.
  func take(_ client: String, _ rate: ClientRate, at now: Instant) -> ClientBuckets.Verdict {
    let shard = shards[Int(UInt(bitPattern: client.hashValue) % UInt(Self.shardCount))]
    return shard.buckets.withLock { $0.take(client, rate, at: now) }
  }
}

extension ClientBuckets.Verdict {
  /// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
  func append(_ rate: ClientRate, to fields: inout Fields) {
    fields.append(.rateLimitPolicy, rate.policy)
    fields.append(.rateLimit, #""client";r=\#(remaining);t=\#(seconds)"#)
  }

  /// Whole seconds, one at least where there is something to wait for.
  var seconds: Int { reset <= .zero ? 0 : max(1, Int((reset / .seconds(1)).rounded(.up))) }
}
