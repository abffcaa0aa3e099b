import Caching

/// What a flight has to do with the store.
final class StoredFlight {
  /// What was found of the page.
  struct Found {
    let page: KnownPage
    let edition: UInt32
    let lifetime: Lifetime
  }

  /// How long another replica is waited for.
  static let longestWait = Duration.seconds(3)

  private let store: ListStore
  let key: StoreKey
  /// What stands in for the page where the upstream cannot send it.
  var fallback: Found?
  /// The claim by which other replicas wait for this one.
  var lease: StoreLease?

  init(_ store: ListStore, key: StoreKey) {
    self.store = store
    self.key = key
  }

  /// There will be nothing to be stored.
  func release() {
    if let lease { store.pages.release(lease) }
    lease = nil
  }
}
