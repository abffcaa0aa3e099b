/// What a page is good for that was found in the store.
enum StoredStanding: Sendable {
  case fresh
  /// It is within its stale time: it is renewed when it is asked for the next time.
  case stale
  /// It stands in for what the upstream could not send.
  case instead
}
