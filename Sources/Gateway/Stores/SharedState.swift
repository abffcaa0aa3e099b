/// Small facts that all replicas share: tokens that one of them was given, who is about to get one, and what one has just
/// found out.
///
/// It belongs to one loop, and calls back on its thread, in the order in which it was asked. Nothing in it is owed to anybody: where it cannot be reached every
/// replica goes on by itself.
package protocol SharedState: AnyObject {
  /// What is known under a name.
  ///
  /// - Parameter completion: called exactly once, never before this returns, and soon.
  func get(_ name: String, completion: @escaping (SharedValue) -> Void)

  /// Makes a value known to all, for a time.
  func set(_ name: String, to value: [UInt8], expires: Duration)

  /// Has all forget a value, unless it is another by now.
  func remove(_ name: String, ifEqual value: [UInt8])

  /// Asks to be the one replica that does something.
  ///
  /// - Parameters:
  ///   - time: how long the others leave it to this one, at most.
  ///   - completion: called exactly once, never before this returns.
  func lease(_ name: String, for time: Duration, completion: @escaping (SharedLease) -> Void)

  /// Gives a lease back before its time.
  func release(_ name: String, _ token: [UInt8])

  /// Tells the other replicas, those that can be reached now, and this one too.
  func publish(_ notice: String)

  /// Has `action` called for every notice, of this replica too. What is published while the connection is gone is lost.
  func whenNotified(_ action: @escaping (String) -> Void)

  /// Lets go of the other replicas. The last call.
  func close()
}

package enum SharedValue: Sendable, Hashable {
  case found([UInt8])
  /// Nobody has said anything.
  case absent
  /// It cannot be asked.
  case unavailable
}

package enum SharedLease: Sendable, Hashable {
  /// It is the caller's, until its time is over or it is released by this token.
  case granted([UInt8])
  /// Another has it.
  case taken
  /// It cannot be asked: nobody is held back.
  case unavailable
}
