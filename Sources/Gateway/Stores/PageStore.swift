/// Keeps the last known pages where they outlive the process: in a file of its own, or where other replicas find them.
///
/// It belongs to one loop, like every port: it is called, and it calls back, on that loop's thread. Nothing that it is asked
/// for is ever waited for by a loop, and nothing that goes wrong in it fails a request: what cannot be found is not there,
/// what cannot be written is counted and lost.
package protocol PageStore: AnyObject {
  /// Whether other replicas use the same store: then a page that is missing may be on its way to one of them, and
  /// ``claim(_:after:wait:completion:)`` is worth its time.
  var isShared: Bool { get }

  /// Looks a page up.
  ///
  /// - Parameter completion: called exactly once, never before this returns, and soon: with what is stored, whatever its
  ///   age, or nil where nothing is, or where the store cannot be asked.
  func find(_ key: StoreKey, completion: @escaping (StoredPage?) -> Void)

  /// Has a page written, behind the caller's back, in the place of what is stored of it. What can be stored only at the
  /// price of waiting is not.
  func store(_ page: StoredPage, as key: StoreKey)

  /// Has it written that a stored page was found unchanged: it lives on. Does nothing where it is not stored.
  func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime)

  /// Asks who of all replicas is to fetch a page: whoever asks first. The others wait for what it stores, and fetch for
  /// themselves when nothing has come.
  ///
  /// - Parameters:
  ///   - born: a page that is not younger than this will not do; Unix milliseconds, nil where any will.
  ///   - wait: how long another replica is waited for, at most. For this long, and not longer, a claim stands.
  ///   - completion: called exactly once, never before this returns.
  func claim(
    _ key: StoreKey, after born: Int64?, wait: Duration, completion: @escaping (StoreClaim) -> Void)

  /// Gives a claim up: what was to be fetched could not be had, or is not to be stored. Those who wait fetch for
  /// themselves. A claim whose page is stored ends with that, and need not be given up.
  func release(_ lease: StoreLease)

  /// Forgets pages.
  ///
  /// - Parameter completion: called exactly once, never before this returns: with how many there were, or nil where
  ///   that cannot be told.
  func purge(_ extent: StoreExtent, completion: @escaping (Int?) -> Void)

  /// Writes what still waits, as far as that is possible at once, and takes nothing more. The last call.
  func close()
}

/// How a claim to a page ended.
package enum StoreClaim: Sendable {
  /// The page is the caller's to fetch. With the lease it holds the others back; without one nobody does.
  case fetch(StoreLease?)
  /// Another replica has fetched it meanwhile.
  case found(StoredPage)
}

/// A claim that stands.
package struct StoreLease: Sendable, Hashable {
  package let key: StoreKey
  /// Makes it different from whoever claims the page later.
  package let token: [UInt8]

  package init(key: StoreKey, token: [UInt8]) {
    self.key = key
    self.token = token
  }
}

/// What is to be forgotten.
package enum StoreExtent: Sendable, Hashable {
  case all
  case list(String)
  /// The pages of one list for one set of arguments, whoever asked: ``StoreKey/series``.
  case series(list: String, [UInt8])
}
