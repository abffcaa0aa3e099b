import Configuration
import Testing

@Suite("Fingerprints")
struct FingerprintTests {
  private static func fingerprint(
    _ list: String,
    upstreams: String = #"{api: {url: "https://api.example.com"}, b: {url: "https://b.example.com"}}"#
  ) throws -> [UInt8] {
    try World.load("upstreams: \(upstreams)\nlists: {items: \(list)}\n").lists[0].fingerprint
  }

  private static let list =
    #"{upstream: api, request: {query: {key: "${TOKEN}", a: "1"}}, paging: {style: page, page: {query: p}}, items: {at: /a, id: /id}, says: {total: /t}}"#

  @Test("layout, order and what has no part in a position make no difference")
  func same() throws {
    let other = try Self.fingerprint(
      #"{title: Items, limit: 5, says: {"total": /t}, items: {id: /id, at: /a}, upstream: api, paging: {page: {query: p}, style: page}, request: {query: {a: "1", key: "${TOKEN}"}}}"#
    )
    #expect(try Self.fingerprint(Self.list) == other)
  }

  @Test(
    "what gives a position its meaning makes one",
    arguments: [
      ("upstream: api", "upstream: b"), ("query: p}", "query: q}"), ("/id", "/uid"), ("/t}", "/total}"),
      (#"a: "1""#, #"a: "2""#), ("at: /a", "at: /b"), ("says: {total: /t}", "says: {}"),
    ])
  func different(_ old: String, _ new: String) throws {
    let parts = Self.list.split(separator: old, omittingEmptySubsequences: false)
    let changed = parts.joined(separator: new)
    #expect(changed != Self.list)
    #expect(try Self.fingerprint(changed) != Self.fingerprint(Self.list))
  }

  @Test("it holds the name of a secret, not the secret")
  func secrets() throws {
    let text = String(decoding: try Self.fingerprint(Self.list), as: UTF8.self)
    #expect(text.contains("${TOKEN}"))
    #expect(!text.contains("s3cret"))
  }
}
