import Gateway
import HTTPSemantics
import TestSupport
import Testing

@testable import OpenSSLSealer

private let secret = Array("0123456789abcdef0123456789abcdef".utf8)
private let otherSecret = Array("another secret of enough bytes!!".utf8)
private let binding = Array("notices?sid=7".utf8)
private let now: Int64 = 1_790_000_000
private let day: Int64 = 86_400

private func sealer(_ secrets: [[UInt8]] = [secret]) throws -> OpenSSLSealer {
  try OpenSSLSealer(keys: SealingKeys(secrets: secrets))
}

private func outcome(
  _ sealer: OpenSSLSealer, _ cursor: String, binding: [UInt8] = binding, now: Int64 = now,
  lifetime: Int64 = day
) -> Result<[UInt8], CursorFailure> {
  do throws(CursorFailure) {
    return .success(try sealer.open(cursor, binding: binding, now: now, lifetime: lifetime))
  } catch {
    return .failure(error)
  }
}

@Suite("OpenSSLSealer")
struct OpenSSLSealerTests {
  @Test("opens what it sealed, of any length", arguments: [0, 1, 2, 3, 15, 16, 17, 60, 255, 4_000, 9_000])
  func roundTrip(count: Int) throws {
    let sealer = try sealer()
    var random = SeededRandom(seed: UInt64(count))
    let payload = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let cursor = sealer.seal(payload, binding: binding, now: now)
    #expect(outcome(sealer, cursor) == .success(payload))
    #expect(cursor.utf8.allSatisfy { $0.isLetterOfBase64URL })
  }

  @Test("opens another replica's cursors, under the same secret")
  func replicas() throws {
    let cursor = try sealer().seal([1, 2, 3], binding: binding, now: now)
    #expect(try outcome(sealer(), cursor) == .success([1, 2, 3]))
  }

  @Test("seals with the first key and opens with any, so that keys rotate")
  func rotation() throws {
    let old = try sealer([secret])
    let rotated = try sealer([otherSecret, secret])
    let new = try sealer([otherSecret])
    let oldCursor = old.seal([1], binding: binding, now: now)
    let newCursor = rotated.seal([2], binding: binding, now: now)
    #expect(outcome(rotated, oldCursor) == .success([1]))
    #expect(outcome(rotated, newCursor) == .success([2]))
    #expect(outcome(new, newCursor) == .success([2]))
    #expect(outcome(new, oldCursor) == .failure(.invalid))
    #expect(outcome(old, newCursor) == .failure(.invalid))
  }

  @Test("refuses a cursor under another binding, even one that reads alike")
  func bound() throws {
    let sealer = try sealer()
    let cursor = sealer.seal([1], binding: binding, now: now)
    for other in [[], Array("notices?sid=8".utf8), Array("notices?sid=7 ".utf8), Array("notices?sid=".utf8)] {
      #expect(outcome(sealer, cursor, binding: other) == .failure(.invalid))
    }
    let unbound = sealer.seal([1], binding: [], now: now)
    #expect(outcome(sealer, unbound, binding: binding) == .failure(.invalid))
    #expect(outcome(sealer, unbound, binding: []) == .success([1]))
  }

  @Test(
    "expires a cursor by its age, and takes one from a clock that is ahead",
    arguments: [
      (0, 60, true), (59, 60, true), (60, 60, false), (3_600, 60, false), (-300, 60, true), (0, 0, false),
    ] as [(Int64, Int64, Bool)])
  func age(passed: Int64, lifetime: Int64, isGood: Bool) throws {
    let sealer = try sealer()
    let cursor = sealer.seal([1], binding: binding, now: now)
    let result = outcome(sealer, cursor, now: now + passed, lifetime: lifetime)
    #expect(result == (isGood ? .success([1]) : .failure(.expired)))
  }

  @Test("says invalid, not expired, of a forged cursor however old")
  func forgedAndOld() throws {
    let sealer = try sealer()
    let cursor = sealer.seal([1], binding: binding, now: 0)
    #expect(outcome(sealer, cursor) == .failure(.expired))
    #expect(outcome(sealer, cursor, binding: []) == .failure(.invalid))
  }

  @Test("refuses what is no cursor", arguments: ["", "A", "AQ", "====", "not a cursor", "网"])
  func noCursor(text: String) throws {
    #expect(try outcome(sealer(), text) == .failure(.invalid))
  }

  @Test("refuses letters without meaning, at any length", arguments: [44, 64, 12_288, 12_292, 1_000_000])
  func noise(count: Int) throws {
    #expect(try outcome(sealer(), String(repeating: "A", count: count)) == .failure(.invalid))
    #expect(try outcome(sealer(), String(repeating: "AQAA", count: count / 4)) == .failure(.invalid))
  }

  @Test("refuses every cut")
  func truncated() throws {
    let sealer = try sealer()
    let cursor = sealer.seal(Array(0..<60), binding: binding, now: now)
    for count in 0..<cursor.utf8.count {
      #expect(outcome(sealer, String(cursor.prefix(count))) == .failure(.invalid))
      #expect(outcome(sealer, String(cursor.suffix(count))) == .failure(.invalid))
    }
    #expect(outcome(sealer, cursor + "A") == .failure(.invalid))
    #expect(outcome(sealer, cursor + cursor) == .failure(.invalid))
  }

  @Test("refuses ten thousand mutations, and then still opens the true one")
  func mutated() throws {
    let sealer = try sealer([secret, otherSecret])
    let payload = [UInt8](0..<60)
    let cursor = Array(sealer.seal(payload, binding: binding, now: now).utf8)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ~".utf8)
    var random = SeededRandom(seed: 11)
    for _ in 0..<10_000 {
      var mutated = cursor
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<mutated.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: mutated[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: mutated[index] = alphabet.randomElement(using: &random) ?? 0
        case 2: mutated.remove(at: index)
        default: mutated.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
        }
      }
      let text = String(decoding: mutated, as: UTF8.self)
      if Array(text.utf8) == cursor { continue }
      guard outcome(sealer, text) == .failure(.invalid) else {
        Issue.record("opened \(text)")
        continue
      }
    }
    #expect(outcome(sealer, String(decoding: cursor, as: UTF8.self)) == .success(payload))
  }

  @Test("never uses a nonce twice, within a sealer or between sealers of one key")
  func nonces() throws {
    let sealers = try (0..<4).map { _ in try sealer() }
    var seen: Set<String> = []
    for _ in 0..<1_000 {
      for sealer in sealers { seen.insert(sealer.seal([7], binding: binding, now: now)) }
    }
    // Payload, binding, time and key are the same: a nonce twice would be a cursor twice.
    #expect(seen.count == 4_000)
  }

  @Test("shows nothing of the payload")
  func opaque() throws {
    let payload = Array("token=SECRET-UPSTREAM-TOKEN".utf8)
    let sealer = try sealer()
    let cursor = sealer.seal(payload, binding: binding, now: now)
    var bytes: [UInt8] = []
    let isRead = Base64URL.decode(cursor.utf8Span.span, into: &bytes)
    #expect(isRead)
    for start in 0..<payload.count - 3 { #expect(!bytes.contains(Array(payload[start..<start + 4]))) }
    #expect(sealer.seal(payload, binding: binding, now: now) != cursor)
  }
}

@Suite("SealingKeys")
struct SealingKeysTests {
  @Test("refuses no secret and a short one, and says which")
  func refused() {
    #expect(throws: SealingKeys.Failure.self) { try SealingKeys(secrets: []) }
    do throws(SealingKeys.Failure) {
      _ = try SealingKeys(secrets: [secret, Array("short".utf8)])
      Issue.record("took a short secret")
    } catch {
      guard case .secretTooShort(index: 1) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("makes random keys that nobody else has")
  func random() throws {
    let one = try SealingKeys.random()
    let other = try SealingKeys.random()
    #expect(one.areRandom)
    #expect(try !SealingKeys(secrets: [secret]).areRandom)
    let cursor = try OpenSSLSealer(keys: one).seal([1], binding: binding, now: now)
    #expect(try outcome(OpenSSLSealer(keys: one), cursor) == .success([1]))
    #expect(try outcome(OpenSSLSealer(keys: other), cursor) == .failure(.invalid))
  }

  @Test("derives what RFC 5869 does without salt")
  func derivation() throws {
    // Test case 3 of RFC 5869 appendix A, whose info is empty.
    let secret = [UInt8](repeating: 0x0B, count: 22)
    let expected: [UInt8] = [
      0x8D, 0xA4, 0xE7, 0x75, 0xA5, 0x63, 0xC1, 0x8F, 0x71, 0x5F, 0x80, 0x2A, 0x06, 0x3C, 0x5A, 0x31, 0xB8,
      0xA1,
      0x1F, 0x5C, 0x5E, 0xE1, 0x87, 0x9E, 0xC3, 0x45, 0x4E, 0x5F, 0x3C, 0x73, 0x8D, 0x2D, 0x9D, 0x20, 0x13,
      0x95,
      0xFA, 0xA4, 0xB6, 0x1A, 0x96, 0xC8,
    ]
    #expect(try HKDF.sha256(secret: secret, label: "", count: 42) == expected)
  }
}

@Suite("BufferedRandom")
struct BufferedRandomTests {
  @Test("gives words that differ, over more than one buffer")
  func differ() throws {
    let random = try BufferedRandom()
    var seen: Set<UInt64> = []
    for _ in 0..<1_000 { seen.insert(random.next()) }
    #expect(seen.count == 1_000)
    #expect(!seen.contains(0))
  }
}

extension UInt8 {
  fileprivate var isLetterOfBase64URL: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
