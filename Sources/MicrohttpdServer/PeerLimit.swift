import Synchronization

/// Counts the connections of each client address, for all servers of a process together.
package final class PeerLimit: Sendable {
  /// Connections that one address may have at a time.
  package let most: Int
  private let counts = Mutex<[PeerAddress: Int]>([:])

  package init(most: Int) { self.most = most }

  /// - Returns: false, with nothing counted, when the address has its share already.
  func enter(_ peer: PeerAddress) -> Bool {
    counts.withLock { counts in
      let count = counts[peer, default: 0]
      if count >= most { return false }
      counts[peer] = count + 1
      return true
    }
  }

  func leave(_ peer: PeerAddress) {
    counts.withLock { counts in
      let count = counts[peer, default: 1]
      counts[peer] = count > 1 ? count - 1 : nil
    }
  }
}
