import EventLoop
import Gateway

/// Small facts in Redis, and what replicas tell each other (PUBLISH).
final class RedisState: SharedState {
  private let link: RedisLink
  private let names: RedisNames
  private let tokens: Tokens
  private let loop: EventLoop
  private let settings: RedisSettings
  private let complaints: Complaints
  /// A connection that listens can ask nothing.
  private var listening: RedisLink?

  init(
    link: RedisLink, names: RedisNames, tokens: Tokens, loop: EventLoop, settings: RedisSettings,
    complaints: Complaints
  ) {
    self.link = link
    self.names = names
    self.tokens = tokens
    self.loop = loop
    self.settings = settings
    self.complaints = complaints
  }

  func get(_ name: String, completion: @escaping (SharedValue) -> Void) {
    link.send(Command(word("GET"), names.state(name))) { reply in
      switch reply {
      case .bytes(let value)?: completion(.found(value))
      case .nothing?: completion(.absent)
      default: completion(.unavailable)
      }
    }
  }

  func set(_ name: String, to value: [UInt8], expires: Duration) {
    link.send(Command(word("SET"), names.state(name), value, word("PX"), milliseconds(expires)))
  }

  func remove(_ name: String, ifEqual value: [UInt8]) {
    link.send(Command(word("EVAL"), Script.release, word("1"), names.state(name), value))
  }

  func lease(_ name: String, for time: Duration, completion: @escaping (SharedLease) -> Void) {
    let token = tokens.next()
    link.send(
      Command(word("SET"), names.stateLease(name), token, word("NX"), word("PX"), milliseconds(time))
    ) { reply in
      switch reply {
      case .bytes?: completion(.granted(token))
      case .nothing?: completion(.taken)
      default: completion(.unavailable)
      }
    }
  }

  func release(_ name: String, _ token: [UInt8]) {
    link.send(Command(word("EVAL"), Script.release, word("1"), names.stateLease(name), token))
  }

  func publish(_ notice: String) { link.send(Command(word("PUBLISH"), names.notices, word(notice))) }

  func whenNotified(_ action: @escaping (String) -> Void) {
    listening?.close()
    // Told of its own readiness, and alive for as long as this is.
    listening = RedisLink(settings, loop: loop, complaints: complaints) { [weak self] isReady in
      guard isReady, let self else { return }
      listening?.subscribe(names.notices) { action(String(decoding: $0, as: UTF8.self)) }
    }
  }

  func close() { listening?.close() }

  private func milliseconds(_ time: Duration) -> [UInt8] { word(max(1, Int64(time / .milliseconds(1)))) }
}
