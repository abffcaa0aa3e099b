import EventLoop
import HTTPSemantics

/// Lets replicas share the sessions of one upstream: one of them logs in, and the others use what it was given.
///
/// What is shared is sealed with the cursors' key, which all replicas have, and bound to what the login is made with: no
/// token can be read at the server, and a replica that is configured differently, or has another key, finds nothing. Each
/// shared session has a number, one more than the one before: a session that did no good is never taken for a newer one,
/// whatever the replicas' clocks say.
///
/// One a loop and upstream. Where the server cannot be asked, every replica logs in by itself.
final class SessionSharing {
  typealias Number = UInt64

  /// A session that a replica has logged in to.
  struct Session {
    var opened: UpstreamSession.Opened
    var number: Number
  }

  /// The part of this replica in the login that others wait for.
  struct Lease {
    fileprivate let name: String
    fileprivate let token: [UInt8]
  }

  enum Outcome {
    case found(Session)
    /// Log in; nobody else does where there is a lease.
    ///
    /// - Parameter newest: what is known of another replica's session that is over, or has done no good.
    case logIn(Lease?, newest: Session?)
  }

  /// How long another replica's login is waited for.
  private static let longestWait = Duration.seconds(3)
  private static let firstLook = Duration.milliseconds(10)
  private static let lastLook = Duration.milliseconds(100)
  /// How long a session is kept of which nobody says how long it lasts.
  private static let longestLife = Duration.seconds(86_400)
  /// In seconds, by the sealer's clock.
  private static let sealLife: Int64 = 2 * 86_400

  private let state: any SharedState
  private let sealer: any CursorSealer
  private let digest: StoreKeys.Digest
  private let loop: EventLoop
  /// Whose sessions they are: the upstream, and what its login is made with.
  private let owner: [UInt8]
  /// Unix seconds.
  private let wallClock: () -> Int64

  init(
    _ state: any SharedState, owner: [UInt8], sealer: any CursorSealer, digest: @escaping StoreKeys.Digest,
    loop: EventLoop, wallClock: @escaping () -> Int64
  ) {
    self.state = state
    self.owner = owner
    self.sealer = sealer
    self.digest = digest
    self.loop = loop
    self.wallClock = wallClock
  }

  // MARK: Finding

  /// Finds a session that is newer than the caller's, or has the caller log in.
  ///
  /// - Parameters:
  ///   - credential: the client's, where each has a session of its own.
  ///   - number: of the session that the caller has, or had; 0 where there was none.
  ///   - time: how long a login may take.
  ///   - completion: called exactly once, never before this returns.
  func obtain(
    for credential: [UInt8]?, after number: Number, within time: Duration,
    completion: @escaping (Outcome) -> Void
  ) {
    let binding = binding(of: credential)
    attempt(
      Search(
        name: name(of: binding), binding: binding, number: number, time: time,
        deadline: .now + min(time / 2, Self.longestWait), completion: completion), next: Self.firstLook)
  }

  private struct Search {
    let name: String
    let binding: [UInt8]
    let number: Number
    let time: Duration
    let deadline: ContinuousClock.Instant
    let completion: (Outcome) -> Void
  }

  private func attempt(_ search: Search, next: Duration) {
    var lease = SharedLease.unavailable
    state.lease(search.name, for: search.time) { lease = $0 }
    // In this order: whoever had the lease before has told of the session before it gave the lease back.
    state.get(search.name) { [self] value in
      var newest: Session?
      if case .found(let bytes) = value { newest = session(in: bytes, binding: search.binding) }
      if let newest, newest.number > search.number {
        if case .granted(let token) = lease { state.release(search.name, token) }
        return search.completion(.found(newest))
      }
      switch lease {
      case .granted(let token):
        search.completion(.logIn(Lease(name: search.name, token: token), newest: newest))
      case .taken where .now + next < search.deadline:
        loop.schedule(at: .now + next) { [self] in
          attempt(search, next: min(next * 2, Self.lastLook))
        }
      case .taken, .unavailable: search.completion(.logIn(nil, newest: newest))
      }
    }
  }

  // MARK: Telling

  /// Tells of a session that was logged in to, and ends the waiting for it.
  func share(_ session: Session, of credential: [UInt8]?, _ lease: Lease?) {
    let binding = binding(of: credential)
    let now = wallClock()
    let expires = session.opened.lifetime.map { now + $0.components.seconds } ?? 0
    let sealed = sealer.seal(encode(session, expires: expires), binding: binding, now: now)
    state.set(
      name(of: binding), to: Array(sealed.utf8),
      expires: min(session.opened.lifetime ?? Self.longestLife, Self.longestLife))
    release(lease)
  }

  /// There is no session to tell of.
  func release(_ lease: Lease?) {
    if let lease { state.release(lease.name, lease.token) }
  }

  private func binding(of credential: [UInt8]?) -> [UInt8] {
    StoreKeys.joined([Array("session".utf8), owner, credential ?? []])
  }

  /// Says nothing of what it is made of.
  private func name(of binding: [UInt8]) -> String {
    "session:"
      + digest(binding).map { byte in
        let text = String(byte, radix: 16)
        return text.utf8.count == 1 ? "0" + text : text
      }.joined()
  }

  // MARK: Bytes: version 1, number 8, expires 8 (Unix seconds, or 0), count of the token 4, token, renewal 0 or 1, its bytes

  private static let version: UInt8 = 1
  private static let headCount = 21

  private func encode(_ session: Session, expires: Int64) -> [UInt8] {
    var bytes: [UInt8] = [Self.version]
    Self.append(session.number, to: &bytes)
    Self.append(UInt64(bitPattern: expires), to: &bytes)
    Self.append(UInt32(session.opened.token.count), to: &bytes)
    bytes += session.opened.token
    bytes.append(session.opened.renewal == nil ? 0 : 1)
    return bytes + (session.opened.renewal ?? [])
  }

  /// - Returns: nil for what this replica did not seal, or another with its key; and for what is over.
  private func session(in bytes: [UInt8], binding: [UInt8]) -> Session? {
    let text = String(decoding: bytes, as: UTF8.self)
    let now = wallClock()
    guard let plain = try? sealer.open(text, binding: binding, now: now, lifetime: Self.sealLife),
      plain.count > Self.headCount, plain[0] == Self.version
    else { return nil }
    let expires = Int64(bitPattern: Self.number(plain[9..<17]))
    let end = Self.headCount + Int(Self.number(plain[17..<21]))
    guard end < plain.count, expires == 0 || now < expires else { return nil }
    return Session(
      opened: UpstreamSession.Opened(
        token: Array(plain[Self.headCount..<end]),
        renewal: plain[end] == 1 ? Array(plain[(end + 1)...]) : nil,
        lifetime: expires == 0 ? nil : .seconds(expires - now)), number: Self.number(plain[1..<9]))
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
