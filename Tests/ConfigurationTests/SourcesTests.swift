import Configuration
import HTTPSemantics
import Testing

@Suite("Environment and files")
struct SourcesTests {
  private static var configuration: Configuration? {
    let path = "Tests/Vectors/Configuration/pass/environment-and-files.yaml"
    return try? World.load(bytes: Repository.bytes(of: path), name: path)
  }

  private static func render(_ template: Template) throws -> String {
    var output: [UInt8] = []
    try template.append(Arguments([nil]), into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test("values are put in, defaults taken, and $$ is a dollar")
  func values() throws {
    let found = try #require(Self.configuration)
    #expect(found.listen.port == 8081)
    #expect(found.log.level == .warn)
    #expect(found.loops == 2)
    #expect(!found.debug)
    #expect(found.upstreams[0].url.host == "api.example.com")
    let headers = try found.upstreams[0].headers.map { "\($0.name.text): \(try Self.render($0.value))" }
    #expect(
      headers == [
        "Authorization: Bearer s3cret-{sid}-\"token\"", "X-Dollar: ${TOKEN} costs $5", "X-Empty: ",
        "X-File: file-s3cret",
      ])
    #expect(found.lists[0].title == "file: not one")
  }

  @Test("what comes from outside is no placeholder, whatever it holds")
  func placeholders() throws {
    let query = try #require(Self.configuration).lists[0].request.query
    #expect(query.map { String(decoding: $0.name, as: UTF8.self) } == ["token", "sid"])
    #expect(query[0].value.parameters == [])
    #expect(try Self.render(query[0].value) == "s3cret-%7Bsid%7D-%22token%22")
    #expect(query[1].value.parameters == [0])
  }

  @Test("32 bytes in hexadecimal or base64 are a key, other texts a passphrase")
  func keys() throws {
    let bytes = (0..<32).map { UInt8($0 * 7) }
    let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let base64 = "AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk="
    let base64url = "AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk"
    for text in [hexadecimal, hexadecimal.uppercased(), base64, base64url] {
      let found = try World.load(Self.minimal + "cursor: {keys: [\"\(text)\"]}\n").cursor.keys
      #expect(found == [.key(Secret(bytes))], "\(text)")
    }
    let text = "correct horse battery"
    let found = try World.load(Self.minimal + "cursor: {keys: [\"\(text)\"]}\n").cursor.keys
    #expect(found == [.passphrase(Secret(Array(text.utf8)))])
  }

  @Test("no description and no dump of a configuration shows a secret")
  func secrets() throws {
    let found = try #require(Self.configuration)
    var dumped = ""
    dump(found, to: &dumped)
    for shown in [dumped, "\(found)", String(reflecting: found)] {
      for secret in ["s3cret", "a passphrase", "001122", "0, 17, 34, 51"] { #expect(!shown.contains(secret)) }
    }
  }

  static let minimal = """
    upstreams: {api: {url: "https://api.example.com"}}
    lists: {items: {upstream: api, paging: {style: whole}, items: {at: "", id: none}}}

    """
}
