import Configuration
import HTTPSemantics
import JSON
import TestSupport
import Testing

@Suite("Templates")
struct TemplateTests {
  private static let nasty = "a/b?c=d&e#f%2F+\"\\\r\n é😀"

  private static func arguments(_ texts: String?...) -> Arguments {
    Arguments(texts.map { text in text.flatMap { ParameterValue(Array($0.utf8), kind: .string) } })
  }

  private static func render(_ template: Template, _ texts: String?...) throws -> String {
    var output: [UInt8] = []
    try template.append(
      Arguments(texts.map { text in text.flatMap { ParameterValue(Array($0.utf8), kind: .string) } }),
      into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test(
    "a value is encoded for its place, and so is the text around it",
    arguments: [
      (Template.Place.query, "x%3D%26a%2Fb%3Fc%3Dd%26e%23f%252F%2B%22%5C%0D%0A%20%C3%A9%F0%9F%98%80"),
      (.form, "x%3D%26a%2Fb%3Fc%3Dd%26e%23f%252F%2B%22%5C%0D%0A+%C3%A9%F0%9F%98%80"),
      (.jsonString, "x=&a/b?c=d&e#f%2F+\\\"\\\\\\u000d\\n é😀"),
    ])
  func encodes(_ place: Template.Place, _ expected: String) throws {
    #expect(try Self.render(Template([.text("x=&"), .parameter(0)], for: place), Self.nasty) == expected)
  }

  @Test(
    "no value ends a path segment", arguments: ["a/b", "..%2f", "%2e%2e", "a?b", "a#b", "a;b", "é", "../x"])
  func segments(_ value: String) throws {
    let rendered = try Self.render(Template([.parameter(0)], for: .segment), value)
    #expect(!rendered.utf8.contains { "/?#;".utf8.contains($0) })
    var decoded: [UInt8] = []
    #expect(
      PercentEncoding.decode(
        Array(rendered.utf8).span, 0..<rendered.utf8.count, plusIsSpace: false, into: &decoded))
    #expect(String(decoding: decoded, as: UTF8.self) == value)
  }

  @Test("a segment that would be empty or dots is refused", arguments: ["", ".", ".."])
  func dots(_ value: String) {
    #expect(throws: TemplateFailure(parameter: 0, reason: .segment)) {
      try Self.render(Template([.parameter(0)], for: .segment), value)
    }
  }

  @Test("two values cannot make dots together, and text around a value keeps it harmless")
  func joinedDots() throws {
    let pair = Template([.parameter(0), .parameter(1)], for: .segment)
    #expect(throws: TemplateFailure(parameter: 1, reason: .segment)) { try Self.render(pair, ".", ".") }
    #expect(try Self.render(Template([.text("v"), .parameter(0)], for: .segment), "..") == "v..")
  }

  @Test(
    "a control character in a path or a header field is refused", arguments: ["a\r\nb", "a\nb", "a\u{7F}"])
  func controls(_ value: String) {
    for place in [Template.Place.segment, .header] {
      #expect(throws: TemplateFailure.self) { try Self.render(Template([.parameter(0)], for: place), value) }
    }
  }

  @Test("a template without a value for a parameter is incomplete")
  func completeness() {
    let template = Template([.text("a"), .parameter(0), .parameter(1)], for: .query)
    #expect(template.isComplete(with: Self.arguments("x", "y")))
    #expect(!template.isComplete(with: Self.arguments("x", nil)))
    #expect(template.parameters == [0, 1])
  }

  // MARK: JSON

  private static func json(_ yaml: String, paging: String = "{style: whole}") throws -> JSONTemplate {
    let indented = yaml.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
    let configuration = try World.load(
      """
      upstreams: {api: {url: "https://api.example.com"}}
      lists:
        items:
          upstream: api
          parameters: {n: {type: integer}, s: {}, r: {required: true}}
          paging: \(paging)
          items: {at: "", id: none}
          request:
            method: POST
            query: {a: "{n}", b: "{s}", c: "{r}"}
            json:
      \(indented)
      """)
    guard case .json(let template) = configuration.lists[0].request.content else {
      Issue.record("no JSON")
      throw CancellationError()
    }
    return template
  }

  private static func render(
    _ template: JSONTemplate, _ n: String?, _ s: String?, placed: [String?] = []
  ) throws -> String {
    let arguments = Arguments([
      n.flatMap { ParameterValue(Array($0.utf8), kind: .integer) },
      s.flatMap { ParameterValue(Array($0.utf8), kind: .string) },
      ParameterValue(Array("must".utf8), kind: .string),
    ])
    let values = template.places.indices.map { index in
      index < placed.count ? placed[index].map { Array($0.utf8) } : nil
    }
    var output: [UInt8] = []
    try template.append(arguments, placed: values, into: &output)
    _ = try JSON.Parser(maximumDepth: 64).parse(Bytes(copying: output))
    return String(decoding: output, as: UTF8.self)
  }

  @Test("what is not given is left out with its key and its comma")
  func optional() throws {
    let template = try Self.json(
      """
      a: "{n}"
      b: ["{s}", "{n}", x, "{r}{s}"]
      c: {d: "{s}"}
      e: 1.10
      """)
    #expect(
      try Self.render(template, "7", "t") == #"{"a":7,"b":["t",7,"x","mustt"],"c":{"d":"t"},"e":1.10}"#)
    #expect(try Self.render(template, nil, nil) == #"{"b":["x"],"c":{},"e":1.10}"#)
    #expect(try Self.render(template, nil, "t") == #"{"b":["t","x","mustt"],"c":{"d":"t"},"e":1.10}"#)
  }

  @Test("a text that is only a parameter takes its type, every other scalar its own")
  func types() throws {
    let template = try Self.json(
      """
      a: "{n}"
      b: " {n}"
      c: "1"
      d: 1
      e: true
      f: ~
      g: off
      h: "{{n}}"
      i: "${NUMBER}"
      j: ${NOWHERE:-5}
      """)
    #expect(
      try Self.render(template, "9007199254740993", nil)
        == #"{"a":9007199254740993,"b":" 9007199254740993","c":"1","d":1,"e":true,"f":null,"g":"off","h":"{n}","i":"77","j":"5"}"#
    )
  }

  @Test("paging's places are filled, made, or left as the file has them")
  func places() throws {
    let paging = "{style: page, page: {json: /query/page/number}, size: {json: /size, value: 5}}"
    let made = try Self.json("query: {text: x}", paging: paging)
    #expect(made.places.map(\.text) == ["/query/page/number", "/size"])
    #expect(
      try Self.render(made, nil, nil, placed: ["3", "5"])
        == #"{"query":{"text":"x","page":{"number":3}},"size":5}"#)
    #expect(try Self.render(made, nil, nil) == #"{"query":{"text":"x","page":{}}}"#)

    let replaced = try Self.json("{query: {page: {number: null}}, size: 9, z: 1}", paging: paging)
    #expect(
      try Self.render(replaced, nil, nil, placed: ["3", "5"])
        == #"{"query":{"page":{"number":3}},"size":5,"z":1}"#)
    #expect(try Self.render(replaced, nil, nil) == #"{"query":{"page":{"number":null}},"size":9,"z":1}"#)

    let inArray = try Self.json("[{page: 1}, x]", paging: "{style: page, page: {json: /0/page}}")
    #expect(try Self.render(inArray, nil, nil, placed: ["2"]) == #"[{"page":2},"x"]"#)
  }

  @Test("any value makes valid JSON, and comes back as it was")
  func anyValue() throws {
    var random = SeededRandom(seed: 7)
    let template = try Self.json("{a: \"<{s}>\", b: [\"{s}\"]}")
    let alphabet = Array("\"\\\u{1}\u{8}\n\r\t\u{1F}/é\u{2028}😀{}a".unicodeScalars)
    for _ in 0..<500 {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "a")
      }
      let rendered = try Self.render(template, nil, text)
      let document = try JSON.Parser(maximumDepth: 64).parse(Bytes(copying: Array(rendered.utf8)))
      let node = try #require(document.node(at: JSON.Pointer("/b/0")))
      #expect(document.text(of: node) == text)
    }
  }
}
