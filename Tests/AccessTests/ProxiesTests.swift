import Access
import Testing

@Suite("Addresses and proxies")
struct ProxiesTests {
  private static func address(_ text: String) -> IPAddress? { IPAddress(Array(text.utf8)) }

  @Test(
    "two spellings of an address are one",
    arguments: [
      ("192.0.2.1", "::ffff:192.0.2.1"), ("192.0.2.1", "::FFFF:c000:201"), ("::1", "0:0:0:0:0:0:0:1"),
      ("2001:db8::1", "2001:0db8:0000::0001"), ("::", "0::0"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
      ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("fe80::1:2", "fe80:0:0::0:1:2"),
    ])
  func spellings(_ one: String, _ other: String) {
    #expect(Self.address(one) != nil)
    #expect(Self.address(one) == Self.address(other))
  }

  @Test(
    "what is no address is none",
    arguments: [
      "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "1.2.3.04", "1.2.3.", ".1.2.3", "1.2.3.4 ", "a.b.c.d", ":",
      ":::", "1::2::3",
      "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "::g", "1:2:3:4:5:6:7:",
      ":1:2:3:4:5:6:7:8",
      "::1.2.3", "::1.2.3.4:5", "[::1]", "fe80::1%eth0", "unknown",
    ])
  func nonsense(_ text: String) { #expect(Self.address(text) == nil) }

  @Test("a network holds what begins alike, and nothing else")
  func networks() throws {
    let cases: [(String, [String], [String])] = [
      (
        "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
        ["11.0.0.0", "9.255.255.255", "::10.0.0.1"]
      ),
      ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6"]), ("0.0.0.0/0", ["1.2.3.4"], ["::1", "2001:db8::1"]),
      ("2001:db8::/33", ["2001:db8:7fff::"], ["2001:db8:8000::"]), ("::/0", ["::1", "1.2.3.4"], []),
    ]
    for (text, within, without) in cases {
      let network = try #require(IPNetwork(text))
      for address in within { #expect(network.contains(try #require(Self.address(address))), "\(address)") }
      for address in without { #expect(!network.contains(try #require(Self.address(address))), "\(address)") }
    }
    for text in [
      "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/8/8", "/8", "::1/64", "10.0.0.0/-1",
    ] {
      #expect(IPNetwork(text) == nil, "\(text)")
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var field = Proxies.Field.forwardedFor
    var peer: String? = "10.0.0.1"
    var value: String?
    var client: String?
    var testDescription: String { "\(field.rawValue): \(value ?? "nothing") from \(peer ?? "a socket")" }
  }

  @Test(
    "a client's address is read from the end, as far back as proxies are trusted",
    arguments: [
      Case(value: nil, client: "10.0.0.1"), Case(value: "", client: "10.0.0.1"),
      Case(value: "192.0.2.1", client: "192.0.2.1"),
      // Whatever a client has written before comes first, and is not believed.
      Case(value: "8.8.8.8, 192.0.2.1", client: "192.0.2.1"),
      Case(value: "8.8.8.8, 192.0.2.1, 10.9.9.9", client: "192.0.2.1"),
      Case(value: "10.1.1.1, 10.2.2.2", client: "10.1.1.1"),
      Case(value: "8.8.8.8, unknown, 10.2.2.2", client: "10.2.2.2"),
      Case(value: "8.8.8.8,\"192.0.2.1", client: "10.0.0.1"),
      Case(value: "192.0.2.1:4711", client: "192.0.2.1"),
      Case(value: "[2001:db8::1]:4711", client: "2001:db8::1"),
      Case(value: "2001:db8::1", client: "2001:db8::1"), Case(value: "[2001:db8::1", client: "10.0.0.1"),
      Case(peer: "192.0.2.9", value: "8.8.8.8", client: "192.0.2.9"),
      Case(peer: nil, value: "192.0.2.1", client: "192.0.2.1"), Case(peer: nil, value: nil, client: nil),
      Case(field: .forwarded, value: "for=192.0.2.1", client: "192.0.2.1"),
      Case(
        field: .forwarded, value: "for=8.8.8.8, proto=https; For=\"[2001:db8::1]:47\" ;by=x",
        client: "2001:db8::1"),
      Case(field: .forwarded, value: "for=_hidden", client: "10.0.0.1"),
      Case(field: .forwarded, value: "for=8.8.8.8, by=192.0.2.1", client: "10.0.0.1"),
      // An open quotation mark does not swallow what the proxy appends.
      Case(field: .forwarded, value: "for=\"8.8.8.8, for=192.0.2.1", client: "192.0.2.1"),
    ])
  func clients(_ example: Case) throws {
    let proxies = Proxies(
      trusted: [try #require(IPNetwork("10.0.0.0/8"))], trustsUnix: true, field: example.field)
    let client = proxies.client(peer: example.peer.flatMap(Self.address), said: example.value)
    #expect(client == example.client.flatMap(Self.address))
    #expect(
      Proxies.none.client(peer: Self.address("192.0.2.5"), said: "8.8.8.8") == Self.address("192.0.2.5"))
  }
}
