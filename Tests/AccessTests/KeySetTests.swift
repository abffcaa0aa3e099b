import Access
import Testing

@Suite("Key sets")
struct KeySetTests {
  private static let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

  private static func count(_ keys: String) -> Int? {
    try? PublicKey.keys(ofSet: Array(#"{"keys":[\#(keys)]}"#.utf8)).count
  }

  @Test(
    "a key that is not what it should be is passed over",
    arguments: [
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)A"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x.dropLast())"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x.dropLast())p"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)="}"#,
      #"{"kty":"OKP","crv":"X25519","x":"\#(x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)","use":"enc"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)","key_ops":["sign"]}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)","alg":"ES256"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)","alg":"none"}"#,
      #"{"kty":"EC","crv":"P-256","x":"\#(x)"}"#,
      #"{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(x)"}"#,
      #"{"kty":"oct","k":"\#(x)"}"#,
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 341))w","e":"AQAA"}"#,
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 171))","e":"AQAB"}"#,
      #"{"kty":"RSA","n":"AA\#(String(repeating: "_", count: 339))w","e":"AQAB"}"#,
      #"{"kty":"RSA","n":"\#(String(repeating: "_", count: 1400))","e":"AQAB"}"#,
      #"{"kty":"RSA","e":"AQAB"}"#,
      "7", "null", "{}", "[]",
    ])
  func passedOver(_ key: String) {
    let good = #"{"kty":"OKP","crv":"Ed25519","kid":"a","x":"\#(Self.x)"}"#
    #expect(Self.count(key) == nil)
    #expect(Self.count("\(key),\(good)") == 1)
  }

  @Test("keys of every kind that tokens are signed with are taken, and wrapped as libraries read them")
  func taken() throws {
    let set = """
      {"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"\(Self.x)","use":"sig","key_ops":["verify"]},
      {"kty":"EC","crv":"P-256","x":"\(Self.x)","y":"\(Self.x)","alg":"ES256"},
      {"kty":"RSA","n":"\(String(repeating: "_", count: 341))w","e":"AQAB","alg":"RS256"}]}
      """
    let keys = try PublicKey.keys(ofSet: Array(set.utf8))
    #expect(keys.map(\.kind) == [.ed25519, .p256, .rsa])
    #expect(keys.map(\.id) == ["a", nil, nil])
    #expect(keys.map(\.algorithm) == [nil, .es256, .rs256])
    #expect(keys.map(\.der.count) == [44, 91, 294])
    #expect(keys.map { Int($0.der[1]) } == [42, 89, 0x82])
  }

  @Test("what is no key set is refused")
  func refused() {
    func failure(_ text: String) -> PublicKey.SetFailure? {
      do throws(PublicKey.SetFailure) {
        _ = try PublicKey.keys(ofSet: Array(text.utf8))
        return nil
      } catch {
        return error
      }
    }
    #expect(failure("") == .malformed)
    #expect(failure("[]") == .malformed)
    #expect(failure(#"{"keys":{}}"#) == .malformed)
    #expect(failure(#"{"keys":[]}"#) == .empty)
    #expect(failure(#"{"keys":[\#(String(repeating: "[", count: 20))]}"#) == .malformed)
    #expect(failure(String(repeating: " ", count: PublicKey.longestSet) + "{}") == .tooLong)
  }

  @Test("a signature's numbers have one form: no zero in front but for the sign")
  func signature() throws {
    func made(_ r: [UInt8], _ s: [UInt8]) -> [UInt8]? {
      func padded(_ bytes: [UInt8]) -> [UInt8] { Array(repeating: 0, count: 32 - bytes.count) + bytes }
      return ECDSASignature.sequence(of: padded(r) + padded(s))
    }
    #expect(made([1], [2]) == [0x30, 6, 2, 1, 1, 2, 1, 2])
    #expect(made([0x80], [0x7F, 0xFF]) == [0x30, 8, 2, 2, 0, 0x80, 2, 2, 0x7F, 0xFF])
    #expect(made(Array(repeating: 0xFF, count: 32), [1])?.count == 2 + 35 + 3)
    #expect(made([0], [1]) == nil)
    #expect(made([1], [0]) == nil)
    #expect(ECDSASignature.sequence(of: Array(repeating: 1, count: 63)) == nil)
    #expect(ECDSASignature.sequence(of: Array(repeating: 1, count: 65)) == nil)
  }
}
