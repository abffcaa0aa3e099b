/// Which request is the newest of its client in a slot that the client named: the latest wins.
///
/// Bounded: beyond `capacity` slots the one that has been taken longest ago is forgotten, and so is one of an age of
/// `age`; the request in it goes on, it can no longer be superseded.
package struct Slots: Sendable {
  package struct Key: Sendable, Hashable {
    /// Whose slot it is: two clients never share one.
    package let client: String
    package let name: String

    package init(client: String, name: String) {
      self.client = client
      self.name = name
    }
  }

  private struct Holder: Sendable {
    let request: UInt64
    let since: Instant
  }

  package let capacity: Int
  package let age: Duration
  private var holders: [Key: Holder] = [:]
  /// The keys as they were taken, oldest first, from `head` on; a key taken again is there twice, and the older is void.
  private var order: [(key: Key, request: UInt64)] = []
  private var head = 0

  package init(capacity: Int, age: Duration) {
    precondition(capacity >= 1)
    self.capacity = capacity
    self.age = age
  }

  package var count: Int { holders.count }

  /// Gives the slot to `request`.
  ///
  /// - Parameter request: a number that no other request ever has.
  /// - Returns: the request that had it, which is superseded.
  package mutating func take(_ key: Key, by request: UInt64, at now: Instant) -> UInt64? {
    forget(before: now)
    let superseded = holders.updateValue(Holder(request: request, since: now), forKey: key)?.request
    order.append((key, request))
    while holders.count > capacity { dropOldest() }
    return superseded
  }

  /// `request` has ended: its slot is free, unless a newer one has it.
  package mutating func release(_ key: Key, by request: UInt64) {
    guard holders[key]?.request == request else { return }
    holders[key] = nil
    compact()
  }

  private mutating func forget(before now: Instant) {
    while head < order.count {
      let (key, request) = order[head]
      guard let holder = holders[key], holder.request == request else {
        head += 1
        continue
      }
      guard holder.since + age <= now else { break }
      dropOldest()
    }
    compact()
  }

  private mutating func dropOldest() {
    let (key, request) = order[head]
    head += 1
    if holders[key]?.request == request { holders[key] = nil }
  }

  /// Void entries never outnumber the slots by much.
  private mutating func compact() {
    guard order.count > 2 * holders.count + 16 else { return }
    order = order[head...].filter { holders[$0.key]?.request == $0.request }
    head = 0
  }
}
