import Access
import Foundation
import HTTPSemantics
import JSON
import OpenSSLSealer
import TestSupport
import Testing

@testable import Gateway

/// Tokens and keys that were made once (Tests/Vectors/Token/make).
struct TokenVectors: Decodable, Sendable {
  struct Set: Codable, Sendable { var keys: [[String: Value]] }
  enum Value: Codable, Sendable {
    case text(String)
    case texts([String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      self =
        if let text = try? container.decode(String.self) { .text(text) } else {
          .texts(try container.decode([String].self))
        }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .texts(let texts): try container.encode(texts)
      }
    }
  }

  var now: Int64
  var issuer: String
  var audience: String
  var secret: String
  var jwks: Set
  var rotated: Set
  var pem: [String: String]
  var tokens: [String: String]

  static let all: TokenVectors = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Vectors/Token/tokens.json")
    return try! JSONDecoder().decode(TokenVectors.self, from: Data(contentsOf: file))
  }()

  static func json(_ set: Set) -> String { String(decoding: try! JSONEncoder().encode(set), as: UTF8.self) }

  /// Those that are refused, each with the reason.
  static let bad: [(name: String, failure: String)] = all.tokens.keys.sorted().compactMap { name in
    name.contains(": ") ? (name, name.components(separatedBy: ": ")[0]) : nil
  }
  static let good: [String] = all.tokens.keys.filter {
    !$0.contains(": ") && $0 != "HS256" && $0 != "rotated"
  }
  .sorted()
}

@Suite("Tokens")
struct TokenTests {
  private static let vectors = TokenVectors.all

  private static func rules(_ algorithms: [SignatureAlgorithm] = [.rs256, .es256, .eddsa]) -> TokenRules {
    TokenRules(issuer: vectors.issuer, audiences: [vectors.audience], algorithms: algorithms, leeway: 30)
  }

  private static func judge() throws -> TokenJudge {
    let judge = TokenJudge(rules: rules(), verifier: OpenSSLVerifier())
    #expect(judge.trust(try PublicKey.keys(ofSet: Array(TokenVectors.json(vectors.jwks).utf8))) == 3)
    return judge
  }

  private static func failure(_ judge: TokenJudge, _ token: [UInt8], now: Int64 = vectors.now)
    -> TokenFailure?
  {
    do throws(TokenFailure) {
      _ = try judge.judge(token, now: now)
      return nil
    } catch {
      return error
    }
  }

  private static func token(_ name: String) -> [UInt8] { Array((vectors.tokens[name] ?? "").utf8) }

  @Test("a good token counts", arguments: TokenVectors.good)
  func good(_ name: String) throws {
    let judge = try Self.judge()
    let claims = try judge.judge(Self.token(name), now: Self.vectors.now)
    #expect(
      claims.subject == (name == "another tenant" ? "ben" : name == "without a subject" ? "batch" : "anna"))
    // And once more, from what is kept of it.
    #expect(try judge.judge(Self.token(name), now: Self.vectors.now) === claims)
  }

  @Test("a bad token is refused, for its own reason", arguments: TokenVectors.bad)
  func bad(_ example: (name: String, failure: String)) throws {
    let judge = try Self.judge()
    // The algorithms of secrets too, so that nothing but the keys' kinds stands between.
    let lenient = TokenJudge(
      rules: Self.rules(SignatureAlgorithm.allCases), verifier: OpenSSLVerifier())
    lenient.trust(try PublicKey.keys(ofSet: Array(TokenVectors.json(Self.vectors.jwks).utf8)))
    #expect(Self.failure(lenient, Self.token(example.name))?.word == example.failure)
    #expect(Self.failure(judge, Self.token(example.name)) != nil)
    #expect(Self.failure(judge, Self.token(example.name)) != nil, "not the second time either")
  }

  @Test("a secret's token counts with the secret and with no other key")
  func secrets() throws {
    let judge = TokenJudge(rules: Self.rules([.hs256]), verifier: OpenSSLVerifier())
    judge.trust(Array(Self.vectors.secret.utf8))
    #expect(Self.failure(judge, Self.token("HS256")) == nil)
    for name in ["RS256", "ES256", "EdDSA"] { #expect(Self.failure(judge, Self.token(name)) == .algorithm) }
    judge.trust(Array((Self.vectors.secret + "x").utf8))
    #expect(Self.failure(judge, Self.token("HS256")) == .signature)
    // Too weak to be a key at all.
    judge.trust(Array("short".utf8))
    #expect(Self.failure(judge, Self.token("HS256")) == .unknownKey)
  }

  @Test("keys in PEM do as well; a weak one and one of another kind are none")
  func pem() throws {
    for name in ["RS256", "ES256", "EdDSA"] {
      let judge = TokenJudge(rules: Self.rules(), verifier: OpenSSLVerifier())
      let text = "# a comment\n" + (Self.vectors.pem[name] ?? "")
      #expect(judge.trust(try PublicKey.keys(ofPEM: Array(text.utf8))) == 1)
      #expect(Self.failure(judge, Self.token(name)) == nil)
      for other in ["RS256", "ES256", "EdDSA"] where other != name {
        #expect(Self.failure(judge, Self.token(other)) == .unknownKey)
      }
    }
    let judge = TokenJudge(rules: Self.rules(), verifier: OpenSSLVerifier())
    let weak = Self.vectors.pem["weak"] ?? ""
    #expect(judge.trust(try PublicKey.keys(ofPEM: Array(weak.utf8))) == 0)
    #expect(throws: PublicKey.PEMFailure.unknown) {
      try PublicKey.keys(ofPEM: Array((Self.vectors.pem["P-384"] ?? "").utf8))
    }
    #expect(throws: PublicKey.PEMFailure.noKey) { try PublicKey.keys(ofPEM: Array("nothing".utf8)) }
    #expect(throws: PublicKey.PEMFailure.isPrivate) {
      try PublicKey.keys(ofPEM: Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----".utf8))
    }
    #expect(throws: PublicKey.PEMFailure.malformed) {
      try PublicKey.keys(ofPEM: Array("-----BEGIN PUBLIC KEY-----\nAAA\n-----END PUBLIC KEY-----".utf8))
    }
  }

  @Test("time runs out for a token that is known already too, leeway included")
  func time() throws {
    let judge = try Self.judge()
    let now = Self.vectors.now
    let instants: [(Int64, TokenFailure?)] = [
      (now, nil), (now + 3_629, nil), (now + 3_630, .expired), (now - 90, nil), (now - 91, .early),
    ]
    for (instant, failure) in instants {
      #expect(Self.failure(judge, Self.token("ES256"), now: instant) == failure, "\(instant - now)")
    }
  }

  @Test("rotated keys: the new one's tokens count, the old one's no more, though they were known")
  func rotation() throws {
    let judge = try Self.judge()
    #expect(Self.failure(judge, Self.token("ES256")) == nil)
    #expect(Self.failure(judge, Self.token("rotated")) == .unknownKey)
    judge.trust(try PublicKey.keys(ofSet: Array(TokenVectors.json(Self.vectors.rotated).utf8)))
    #expect(Self.failure(judge, Self.token("rotated")) == nil)
    #expect(Self.failure(judge, Self.token("ES256")) == .unknownKey)
  }

  @Test("a token of a megabyte is refused before it is looked at")
  func megabyte() throws {
    let judge = try Self.judge()
    for text in [
      String(repeating: "a", count: 1_000_000), String(repeating: ".", count: 1_000_000),
      String(decoding: Self.token("ES256"), as: UTF8.self) + String(repeating: "A", count: 1_000_000),
    ] { #expect(Self.failure(judge, Array(text.utf8)) == .tooLong) }
  }

  @Test("of 10,000 changed tokens none counts")
  func changed() throws {
    let judge = try Self.judge()
    let secret = TokenJudge(rules: Self.rules([.hs256]), verifier: OpenSSLVerifier())
    secret.trust(Array(Self.vectors.secret.utf8))
    var random = SeededRandom(seed: 20_261_130)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ".utf8)
    let originals = ["HS256", "RS256", "ES256", "EdDSA"].map(Self.token)
    var reasons: [TokenFailure: Int] = [:]
    for round in 0..<10_000 {
      let original = originals[round % 4]
      var token = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<token.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: token[place] = letters.randomElement(using: &random) ?? 0
        case 1: token[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: token.insert(letters.randomElement(using: &random) ?? 0, at: place)
        case 3: token.remove(at: place)
        case 4: token.swapAt(place, Int.random(in: 0..<token.count, using: &random))
        default:
          // A part of another token in place of one's own.
          let other = originals.randomElement(using: &random) ?? []
          var parts = token.split(separator: 0x2E, omittingEmptySubsequences: false)
          let others = other.split(separator: 0x2E)
          let part = Int.random(in: 0..<min(parts.count, 3), using: &random)
          parts[part] = others[part]
          token = Array(parts.joined(separator: [0x2E]))
        }
      }
      if originals.contains(token) { continue }
      let failure = Self.failure(round % 4 == 0 ? secret : judge, token)
      let shown = String(decoding: token, as: UTF8.self)
      #expect(failure != nil, "\(shown)")
      if let failure { reasons[failure, default: 0] += 1 }
    }
    // They got to each of the gates.
    for reason in [TokenFailure.malformed, .signature, .algorithm, .unknownKey] {
      #expect(reasons[reason] ?? 0 > 0, "\(reason): \(reasons)")
    }
  }
}
