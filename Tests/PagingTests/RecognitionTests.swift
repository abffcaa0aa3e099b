import HTTPSemantics
import JSON
import Paging
import TestSupport
import Testing

/// An invented first answer, and what is to be made of it.
struct RecognitionCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// `GET /path?query`, or `POST /path` and its content.
  let request: String
  let content: String?
  let fields: [(String, String)]
  let body: String
  /// As ``summary(of:)`` writes it.
  let expected: String

  init(
    _ name: String, _ request: String, content: String? = nil, fields: [(String, String)] = [],
    _ body: String,
    _ expected: String
  ) {
    self.name = name
    self.request = request
    self.content = content
    self.fields = fields
    self.body = body
    self.expected = expected
  }

  var testDescription: String { name }

  var recognition: Recognition { recognition(knowing: .nothing) }

  func recognition(knowing declared: Declared) -> Recognition {
    let isJSON = content?.first == "{"
    let bytes = content.map { Array($0.utf8) }
    var header = Fields()
    for (name, value) in fields { header.append(FieldName(validating: name)!, value) }
    return Recogniser.recognise(
      body: Bytes(copying: Array(body.utf8)), parser: Parser(maximumDepth: 64), status: 200, fields: header,
      request: SentRequest(
        target: Array(request.utf8), form: isJSON ? nil : bytes,
        json: isJSON ? bytes.flatMap { try? Parser(maximumDepth: 64).parse(Bytes(copying: $0)) } : nil),
      hosts: TrustedHosts(own: "api.example.com", aliases: []), declared: declared)
  }

  /// The verdict in one line.
  static func summary(of recognition: Recognition) -> String {
    switch recognition.verdict {
    case .unsure: "unsure"
    case .empty: "empty"
    case .refused(let code, let message, _): "refused \(code ?? "-"): \(message ?? "-")"
    case .list(let proposal):
      [
        proposal.confidence == .likely ? "likely" : nil, style(proposal.style), items(proposal.items),
        says(proposal.says),
      ].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " | ")
    }
  }

  private static func style(_ style: Style) -> String {
    switch style {
    case .page(let page): "page \(text(page.page)) from \(page.first)\(text(page.size))"
    case .offset(let offset): "offset \(text(offset.offset)) from \(offset.first)\(text(offset.size))"
    case .token(let token):
      "token \(text(token.sending))\(token.first.map { " first \($0)" } ?? "")\(token.endsByRepeating ? " ends by repeating" : "")"
    case .link: "link"
    case .nextURL(let url): "nextURL\(url.hosts.aliases.isEmpty ? "" : " \(url.hosts.aliases)")"
    case .keyset(let keyset):
      "keyset \(text(keyset.sending)) key \(keyset.key?.text ?? "of the answer") step \(keyset.step)"
    case .range: "range"
    case .graphql(let connection): "graphql \(connection.at.text) after \(text(connection.after))"
    default: "whole"
    }
  }

  private static func items(_ place: ItemsPlace) -> String {
    let id =
      switch place.id {
      case .none: "none"
      case .key: "key"
      case .at(let pointers): "\"\(pointers.map(\.text).joined(separator: ","))\""
      }
    var text = "items \"\(place.at.map(\.text).joined(separator: ","))\""
    if let each = place.each { text += " each \(each.text)" }
    if let order = place.order { text += " order \(order.text)" }
    if case .lines(let trailers) = place.format { text += " lines, trailers \(trailers)" }
    return "\(text) id \(id)"
  }

  private static func says(_ says: Says) -> String {
    [
      ("total", says.total), ("pageCount", says.pageCount), ("page", says.page), ("hasMore", says.hasMore),
      ("isLast", says.isLast), ("next", says.next),
    ].compactMap { name, locator in locator.map { "\(name) \(text($0))" } }.joined(separator: ", ")
  }

  private static func text(_ locator: Locator) -> String {
    switch locator {
    case .body(let pointer): pointer.text
    case .header(let name): "header:\(name)"
    case .link(let relation): "link:\(relation)"
    case .lastItem(let pointer): "item:\(pointer.text)"
    case .selected(let array, let member, let value, let rest):
      "\(array.text)[\(member)=\(value)]\(rest.text)"
    }
  }

  private static func text(_ placement: Placement) -> String {
    switch placement {
    case .query(let name): "query:\(name)"
    case .form(let name): "form:\(name)"
    case .json(let pointer): "json:\(pointer.text)"
    case .header(let name): "header:\(name)"
    case .path(let path): "path:\(path)"
    }
  }

  private static func text(_ sending: Token.Sending) -> String {
    switch sending {
    case .at(let placement): text(placement)
    case .membersInQuery: "members in query"
    case .membersInForm: "members in form"
    }
  }

  private static func text(_ size: PageSize?) -> String {
    size.map { size in " size \(size.placement.map { text($0) } ?? "-")=\(size.value)" } ?? ""
  }
}

@Suite("Recognition")
struct RecognitionTests {
  @Test("each style is recognised from its first answer", arguments: RecognitionCase.styles)
  func styles(_ example: RecognitionCase) {
    #expect(RecognitionCase.summary(of: example.recognition) == example.expected)
  }

  @Test("items are found in whatever shape they come", arguments: RecognitionCase.shapes)
  func shapes(_ example: RecognitionCase) {
    #expect(RecognitionCase.summary(of: example.recognition) == example.expected)
  }

  @Test("a number that only looks like a total is none", arguments: RecognitionCase.counts)
  func counts(_ example: RecognitionCase) {
    #expect(RecognitionCase.summary(of: example.recognition) == example.expected)
  }

  @Test("a failure inside a success is a refusal, never an empty list", arguments: RecognitionCase.refusals)
  func refusals(_ example: RecognitionCase) {
    #expect(RecognitionCase.summary(of: example.recognition) == example.expected)
  }

  @Test("what two readings fit is not sure, and what to declare is said", arguments: RecognitionCase.doubts)
  func doubts(_ example: RecognitionCase) {
    let recognition = example.recognition
    #expect(RecognitionCase.summary(of: recognition) == "unsure")
    #expect(recognition.missing.contains { $0.contains(example.expected) }, "\(recognition.missing)")
  }

  @Test("what was recognised reads the answer it was recognised from", arguments: RecognitionCase.styles)
  func plans(_ example: RecognitionCase) throws {
    guard case .list(let proposal) = example.recognition.verdict else { return }
    var header = Fields()
    for (name, value) in example.fields { header.append(FieldName(validating: name)!, value) }
    let plan = proposal.plan(.nothing, shifts: .watch, limits: .defaults)
    let page = try Normaliser(plan: plan).page(
      ofBody: Bytes(copying: Array(example.body.utf8)), parser: Parser(maximumDepth: 64), status: 200,
      fields: header,
      target: Array(example.request.utf8))
    #expect(page.rawCount >= 1)
  }

  @Test("every part of a list that was recognised has its reason")
  func reasons() throws {
    let recognition = RecognitionCase.styles[0].recognition
    let parts = Set(recognition.observations.map(\.part))
    #expect(parts.isSuperset(of: [.items, .id, .total, .paging]))
    for observation in recognition.observations { #expect(!observation.reason.isEmpty) }
    #expect(recognition.missing.isEmpty)
  }

  @Test(
    "how the upstream would refuse is taken from how it succeeds",
    arguments: [
      (#"{"code":0,"msg":"ok","data":[{"id":1},{"id":2}]}"#, "/code"),
      (#"{"success":true,"data":[{"id":1},{"id":2}]}"#, "/success"),
      (#"{"errcode":0,"errmsg":"ok","list":[{"id":1},{"id":2}]}"#, "/errcode"),
      (#"{"stat":"ok","items":[{"id":1},{"id":2}]}"#, "/stat"),
    ])
  func rules(_ body: String, _ place: String) throws {
    let recognition = RecognitionCase("", "/things", body, "").recognition
    guard case .list(let proposal) = recognition.verdict else {
      Issue.record("no list")
      return
    }
    #expect(proposal.refusal?.when == .body(try Pointer(place)))
    let plan = proposal.plan(.nothing, shifts: .watch, limits: .defaults)
    let failure = body.replacing("0,", with: "17,").replacing("true", with: "false").replacing(
      #""stat":"ok""#, with: #""stat":"no""#)
    #expect(throws: PageFault.self) {
      try Normaliser(plan: plan).page(
        ofBody: Bytes(copying: Array(failure.utf8)), parser: Parser(maximumDepth: 64), status: 200,
        fields: Fields(),
        target: [])
    }
  }

  @Test("what is declared is not recognised, and what is not declared still is")
  func declared() throws {
    let twoArrays = RecognitionCase("", "/x?page=1", #"{"top":[{"id":1}],"new":[{"id":2}],"n":7,"ok":9}"#, "")
    #expect(twoArrays.recognition.verdict == .unsure)
    let items = ItemsPlace.usual(at: try Pointer("/new"), id: .at([try Pointer("/id")]))
    let says = Says(
      total: try Locator("/n"), pageCount: nil, page: nil, hasMore: nil, isLast: nil, next: nil)
    let declared = Declared(items: items, says: says, refusal: nil)
    guard case .list(let proposal) = twoArrays.recognition(knowing: declared).verdict else {
      Issue.record("no list")
      return
    }
    let plan = proposal.plan(declared, shifts: .watch, limits: .defaults)
    #expect(plan.items == items)
    #expect(plan.says == says)
    guard case .page = plan.style else {
      Issue.record("\(plan.style)")
      return
    }
    let refusal = Refusal(
      when: try Locator("/ok"), test: .isAny([.text("9")]), code: nil, message: [],
      cases: [.init(code: .text("9"), meaning: .rateLimited)])
    let refusing = Declared(items: items, says: says, refusal: refusal)
    #expect(
      twoArrays.recognition(knowing: refusing).verdict
        == .refused(code: "9", message: nil, meaning: .rateLimited))
  }

  @Test(
    "a proposal comes out of its bytes as it went in",
    arguments: RecognitionCase.styles + RecognitionCase.shapes)
  func coding(_ example: RecognitionCase) throws {
    guard case .list(let proposal) = example.recognition.verdict else { return }
    let hosts = TrustedHosts(own: "api.example.com", aliases: [])
    let bytes = proposal.encode()
    #expect(bytes.count < 400)
    let decoded = try Proposal(decoding: bytes, hosts: hosts)
    let plans = [decoded, proposal].map { $0.plan(.nothing, shifts: .watch, limits: .defaults) }
    #expect(plans[0].style == plans[1].style)
    #expect(plans[0].items == plans[1].items)
    #expect(plans[0].says == plans[1].says)
    #expect(plans[0].refusal == plans[1].refusal)
    for length in 0..<bytes.count {
      #expect(throws: Proposal.Failure.self) { try Proposal(decoding: Array(bytes[..<length]), hosts: hosts) }
    }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x55
      _ = try? Proposal(decoding: damaged, hosts: hosts)
    }
  }

  @Test("a body without content is an empty list with 204, and not sure with 200")
  func bodies() {
    let recognise = { (status: Int) in
      Recogniser.recognise(
        body: Bytes(copying: []), parser: Parser(maximumDepth: 8), status: status, fields: Fields(),
        request: SentRequest(target: Array("/a".utf8), form: nil, json: nil),
        hosts: TrustedHosts(own: "a", aliases: []), declared: .nothing)
    }
    #expect(recognise(204).verdict == .empty)
    #expect(recognise(200).verdict == .unsure)
  }

  @Test("random documents are recognised or not, and never crash", arguments: 0..<200)
  func random(_ seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let body = Self.value(depth: 5, &generator)
    let recognition = RecognitionCase("", "/things?page=1&per_page=2", body, "").recognition
    if case .unsure = recognition.verdict { #expect(!recognition.missing.isEmpty) }
  }

  private static func value(depth: Int, _ generator: inout SeededRandom) -> String {
    let names = [
      "data", "items", "id", "total", "next", "code", "message", "page", "links", "order", "x", "error",
    ]
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
    case 0: return "null"
    case 1: return "\(Int.random(in: -1...100, using: &generator))"
    case 2: return #""\#(names.randomElement(using: &generator) ?? "")""#
    case 3: return "true"
    case 4: return #""/next?page=2""#
    case 5:
      let count = Int.random(in: 0...4, using: &generator)
      return "[" + (0..<count).map { _ in value(depth: depth - 1, &generator) }.joined(separator: ",") + "]"
    default:
      let count = Int.random(in: 0...6, using: &generator)
      return "{"
        + (0..<count).map { _ in
          #""\#(names.randomElement(using: &generator) ?? "")":\#(value(depth: depth - 1, &generator))"#
        }.joined(separator: ",") + "}"
    }
  }
}
