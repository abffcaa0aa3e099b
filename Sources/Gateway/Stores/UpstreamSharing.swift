import Configuration
import EventLoop
import HTTPSemantics

/// What one loop shares of an upstream with other replicas.
final class UpstreamSharing {
  /// Nil where there is no login to be shared.
  let sessions: SessionSharing?
  private let upstream: String
  private let state: any SharedState
  private let replica: String

  /// - Parameter replica: tells this process from the others.
  init(of upstream: String, _ state: any SharedState, replica: String, sessions: SessionSharing?) {
    self.upstream = upstream
    self.state = state
    self.replica = replica
    self.sessions = sessions
  }

  /// It has become reachable, or unreachable.
  func tellChange() { tell(.change) }

  /// It wants to be left alone for so long.
  func tellPause(_ pause: Duration) { tell(.pause(milliseconds: Int64(pause / .milliseconds(1)))) }

  private func tell(_ kind: ReplicaNotice.Kind) {
    state.publish(ReplicaNotice(replica: replica, upstream: upstream, kind: kind).text)
  }
}

/// What a replica tells the others of an upstream: `REPLICA UPSTREAM change` or `REPLICA UPSTREAM pause MILLISECONDS`.
///
/// A hint, and no more: what it leads to is a probe, or a pause no longer than one that the upstream could ask for.
struct ReplicaNotice: Equatable {
  enum Kind: Equatable {
    /// The upstream has become reachable, or unreachable: worth a look.
    case change
    case pause(milliseconds: Int64)
  }

  /// Longer ones are not believed.
  private static let longestPause: Int64 = 3_600_000

  let replica: String
  let upstream: String
  let kind: Kind

  init(replica: String, upstream: String, kind: Kind) {
    self.replica = replica
    self.upstream = upstream
    self.kind = kind
  }

  var text: String {
    switch kind {
    case .change: "\(replica) \(upstream) change"
    case .pause(let milliseconds): "\(replica) \(upstream) pause \(milliseconds)"
    }
  }

  /// - Returns: nil for what is no notice.
  init?(_ text: String) {
    let words = text.utf8.count <= 1_000 ? text.split(separator: " ", omittingEmptySubsequences: false) : []
    guard words.count >= 3 else { return nil }
    (replica, upstream) = (String(words[0]), String(words[1]))
    switch (words[2], words.count) {
    case ("change", 3): kind = .change
    case ("pause", 4):
      guard let milliseconds = Int64(words[3]), (0...Self.longestPause).contains(milliseconds) else {
        return nil
      }
      kind = .pause(milliseconds: milliseconds)
    default: return nil
    }
  }
}

extension Gateway {
  /// Shares with other replicas what makes them one client of the upstreams: sessions, and what one has found out. Before
  /// the loop turns.
  ///
  /// - Parameters:
  ///   - replica: tells this process from the others; no spaces.
  ///   - sharesSessions: whether the replicas have a key in common that tokens can be sealed with.
  package func share(
    _ state: any SharedState, replica: String, sharesSessions: Bool, digest: @escaping StoreKeys.Digest
  ) {
    for upstream in upstreams {
      let configuration = upstream.configuration
      let account = upstream.account
      let sessions =
        sharesSessions && configuration.session?.forwards == false
        ? SessionSharing(
          state,
          owner: StoreKeys.joined([
            Array(configuration.name.utf8), Array(configuration.url.origin.utf8),
            Array(configuration.url.path.utf8), account,
          ]), sealer: sealer, digest: digest, loop: upstream.loop, wallClock: upstream.wallClock) : nil
      upstream.sharing = UpstreamSharing(
        of: configuration.name, state, replica: replica, sessions: sessions)
    }
    guard !monitors.isEmpty else { return }
    state.whenNotified { [monitors] text in
      guard let notice = ReplicaNotice(text), notice.replica != replica else { return }
      for monitor in monitors { monitor.heard(notice) }
    }
  }
}
