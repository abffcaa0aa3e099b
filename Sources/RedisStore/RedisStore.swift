package import EventLoop
package import Gateway
package import Telemetry

/// Pages and small facts in a Redis or Valkey server, as one loop uses it: over a connection of its own.
///
/// When the server goes away everything is as if there were none, at once: what is asked for is not there, and what is to
/// be stored is not. It is used again when it is back.
package final class RedisStore {
  package let pages: any PageStore
  package let state: any SharedState

  /// Starts to connect when the loop turns.
  ///
  /// - Parameter log: the loop's.
  package init(
    _ settings: RedisSettings, loop: EventLoop, counters: StoreCounters, log: Log,
    random: any RandomNumberGenerator
  ) {
    counters.expectConnections()
    let complaints = Complaints(log: log, counters: counters)
    let link = RedisLink(settings, loop: loop, complaints: complaints) { isReady in
      counters.countConnection(isReady ? 1 : -1)
    }
    let names = RedisNames(prefix: settings.prefix)
    let tokens = Tokens(random: random)
    pages = RedisPages(link: link, names: names, tokens: tokens, loop: loop, counters: counters)
    state = RedisState(
      link: link, names: names, tokens: tokens, loop: loop, settings: settings, complaints: complaints)
  }
}

/// What keys are called. A page's name says its list, so that a list can be purged.
struct RedisNames {
  let prefix: String

  func page(_ key: StoreKey) -> [UInt8] {
    Array("\(prefix)page:\(key.list):".utf8) + hex(key.series) + [UInt8(ascii: ":")] + hex(key.page)
  }

  func lease(_ key: StoreKey) -> [UInt8] { Array("\(prefix)lease:".utf8) + hex(key.page) }

  func state(_ name: String) -> [UInt8] { Array("\(prefix)state:\(name)".utf8) }

  func stateLease(_ name: String) -> [UInt8] { Array("\(prefix)state-lease:\(name)".utf8) }

  var notices: [UInt8] { Array("\(prefix)notices".utf8) }

  /// A pattern that the names of pages match (SCAN's MATCH).
  func pages(within extent: StoreExtent) -> [UInt8] {
    let start = escaped(Array("\(prefix)page:".utf8))
    let any = [UInt8(ascii: "*")]
    return switch extent {
    case .all: start + any
    case .list(let list): start + escaped(Array("\(list):".utf8)) + any
    case .series(let list, let series):
      start + escaped(Array("\(list):".utf8)) + hex(series) + [UInt8(ascii: ":")] + any
    }
  }

  private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { #"*?[]\^-"#.utf8.contains($0) ? [UInt8(ascii: #"\"#), $0] : [$0] }
  }

  private func hex(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}

/// Makes what tells one lease from another.
final class Tokens {
  private var random: any RandomNumberGenerator

  init(random: any RandomNumberGenerator) { self.random = random }

  func next() -> [UInt8] {
    Array((String(random.next() as UInt64, radix: 36) + String(random.next() as UInt64, radix: 36)).utf8)
  }
}

/// What is to be done as one (EVAL).
enum Script {
  /// Deletes a key whose value is still the caller's.
  static let release = word(
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end")
  /// Writes over a value's start, and has it kept longer, where there is one.
  static let renew = word(
    "if redis.call('exists',KEYS[1])==1 then redis.call('setrange',KEYS[1],0,ARGV[1]) return redis.call('pexpire',KEYS[1],ARGV[2]) else return 0 end"
  )
}
