import Access
import Testing

@Suite("Credentials")
struct CredentialTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var authorization: String?
    var apiKey: String?
    var credential: Credential
    var testDescription: String { "\(authorization ?? "nothing"), \(apiKey ?? "nothing")" }
  }

  @Test(
    "a key has no dot, a token has; other schemes are not ours; two credentials are none",
    arguments: [
      Case(credential: .none),
      Case(authorization: "Bearer abc", credential: .key(Array("abc".utf8))),
      Case(authorization: "bearer\tabc ", credential: .key(Array("abc".utf8))),
      Case(authorization: "BEARER a.b.c", credential: .token(Array("a.b.c".utf8))),
      Case(apiKey: "listway_abc-_", credential: .key(Array("listway_abc-_".utf8))),
      // A token where a key should be is a key that nobody has.
      Case(apiKey: "a.b.c", credential: .key(Array("a.b.c".utf8))),
      Case(authorization: "Basic YTpi", credential: .none),
      Case(authorization: "Basic YTpi", apiKey: "abc", credential: .key(Array("abc".utf8))),
      Case(authorization: "Bearerabc", credential: .none),
      Case(authorization: "Bearer", credential: .unusable),
      Case(authorization: "Bearer ", credential: .unusable),
      Case(authorization: "Bearer a b", credential: .unusable),
      Case(authorization: "Bearer a,b", credential: .unusable),
      Case(authorization: "Bearer a, Bearer b", credential: .unusable),
      Case(authorization: "Bearer ä", credential: .unusable),
      Case(authorization: "Bearer abc", apiKey: "abc", credential: .unusable),
      Case(apiKey: "", credential: .unusable),
      Case(apiKey: "a, b", credential: .unusable),
    ])
  func credentials(_ example: Case) {
    #expect(Credential(authorization: example.authorization, apiKey: example.apiKey) == example.credential)
  }

  @Test("a key is found by its digest, whichever place it has; a bit of difference is another key")
  func keys() {
    let digests = (0..<5).map { number in Digest((0..<32).map { UInt8($0 * 7 + number) }) }
    let keys = APIKeys(zip(["a", "b", "b", "c"], digests).map { APIKeys.Entry(name: $0, digest: $1) })
    #expect(digests.map { keys.name(of: $0) } == ["a", "b", "b", "c", nil])
    for bit in 0..<256 {
      var bytes = (0..<32).map { UInt8($0 * 7) }
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(keys.name(of: Digest(bytes)) == nil, "bit \(bit)")
    }
    #expect(APIKeys([]).name(of: digests[0]) == nil)
  }

  @Test("what is required is granted to those who have it, and to nobody else")
  func requirements() {
    func judge(_ kind: Requirement.Kind, keys: [String] = []) -> [Requirement.Verdict] {
      let requirement = Requirement(kind, keys: keys, scopes: [], rules: [])
      return [.anonymous, .key(name: "app"), .key(name: "other"), .itself].map(requirement.judge)
    }
    let forbidden = Requirement.Verdict.forbidden(scopes: [])
    #expect(judge(.none) == [.allow, .allow, .allow, .allow])
    #expect(judge(.any) == [.unauthorized, .allow, .allow, .allow])
    #expect(judge(.key) == [.unauthorized, .allow, .allow, .allow])
    #expect(judge(.key, keys: ["app"]) == [.unauthorized, .allow, forbidden, .allow])
    #expect(judge(.token) == [.unauthorized, .unauthorized, .unauthorized, .allow])
  }
}
