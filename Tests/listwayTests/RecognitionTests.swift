import Foundation
import HTTPSemantics
import JSON
import Paging
import TestSupport
import Testing
import TextEncoding

/// The recognition, against what is known of recorded answers.
@Suite("Recognition of recorded answers")
struct RecognitionTests {
  enum Outcome: String {
    case right
    /// Right, and said to need a look at a second page.
    case likely
    case unsure
    case wrong
  }

  @Test(
    "most recorded lists are recognised, and where the recognition is not sure it says so",
    .enabled(if: Samples.areThere, "../shared/samples is not there: skipped"), .timeLimit(.minutes(10)))
  func samples() throws {
    var counts: [Outcome: Int] = [:]
    for sample in try Samples.all() where Self.isList(sample) {
      let (outcome, why) = try judge(sample)
      counts[outcome, default: 0] += 1
      if outcome != .right { print("\(outcome.rawValue): \(sample.file): \(why)") }
    }
    let total = counts.values.reduce(0, +)
    let right = counts[.right, default: 0] + counts[.likely, default: 0]
    print(
      "recognised: \(right) of \(total) right (\(counts[.likely, default: 0]) of them to be confirmed by a second page), "
        + "\(counts[.unsure, default: 0]) not sure, \(counts[.wrong, default: 0]) wrong")
    #expect(Double(right) >= 0.9 * Double(total))
    #expect(counts[.wrong, default: 0] == 0)
  }

  /// An answer that the upstream meant as a list or as a refusal to give one.
  static func isList(_ sample: Sample) -> Bool {
    guard sample.expected.outcome != "transport-error", sample.response.status != 304 else { return false }
    return sample.expected.outcome != "ok" || sample.items != nil
  }

  private func judge(_ sample: Sample) throws -> (Outcome, String) {
    let recorded = try Samples.body(of: sample)
    let body = sample.charset == "gbk" ? Self.text(ofGBK: recorded) : recorded
    let recognition = Recogniser.recognise(
      body: Bytes(copying: body), parser: Parser(maximumDepth: 300), status: sample.response.status,
      fields: Self.fields(sample), request: Self.request(sample),
      hosts: Self.hosts(sample), declared: .nothing)
    return Truth(sample: sample, bytes: body, body: Self.document(body)).compare(recognition)
  }

  private static func document(_ body: [UInt8]) -> Document? {
    try? Parser(maximumDepth: 300).parse(Bytes(copying: body))
  }

  /// Recognition reads UTF-8, which a body has become by then.
  private static func text(ofGBK recorded: [UInt8]) -> [UInt8] {
    let text = try? Transcoder("GB18030")?.utf8(of: Bytes(copying: recorded))
    return text.map { $0[0..<$0.count] } ?? recorded
  }

  static func fields(_ sample: Sample) -> Fields {
    var fields = Fields()
    for (name, value) in sample.response.headers.sorted(by: { $0.key < $1.key }) {
      if let name = FieldName(validating: name) { fields.append(name, value) }
    }
    return fields
  }

  private static func hosts(_ sample: Sample) -> TrustedHosts {
    let host = sample.request.url.split(separator: "/", maxSplits: 2).dropFirst().first.map(String.init) ?? ""
    return TrustedHosts(own: String(host.prefix { $0 != "?" && $0 != ":" && $0 != "/" }), aliases: [])
  }

  private static func request(_ sample: Sample) -> SentRequest {
    let text = sample.request.url
    let start = text.range(of: "://").flatMap { text[$0.upperBound...].firstIndex { $0 == "/" || $0 == "?" } }
    var target = start.map { String(text[$0...]) } ?? "/"
    if target.hasPrefix("?") { target = "/" + target }
    let content = sample.request.body.map { Array($0.utf8) }
    let json = content.flatMap {
      $0.first == UInt8(ascii: "{") ? try? Parser(maximumDepth: 64).parse(Bytes(copying: $0)) : nil
    }
    return SentRequest(target: Array(target.utf8), form: json == nil ? content : nil, json: json)
  }
}

/// What is known of a recorded answer.
private struct Truth {
  let sample: Sample
  let bytes: [UInt8]
  let body: Document?

  func compare(_ recognition: Recognition) -> (RecognitionTests.Outcome, String) {
    switch (sample.expected.outcome, recognition.verdict) {
    case (_, .unsure): return (.unsure, recognition.missing.joined(separator: "; "))
    case ("business-error", .refused(_, let message, _)):
      // The index leaves a full stop off that is there.
      return message == sample.expected.message || message == sample.expected.message.map { $0 + "." }
        ? (.right, "")
        : (.wrong, "message \(message ?? "none") instead of \(sample.expected.message ?? "none")")
    case ("empty", .empty): return (.right, "")
    case ("ok", .list(let proposal)), ("empty", .list(let proposal)):
      let faults = faults(of: proposal)
      if proposal.items.id == .none, sample.itemId != nil, distinguishes(sample.itemId),
        sample.expected.outcome == "ok"
      {
        return (.unsure, "no id was seen; the index has \(sample.itemId ?? "none")")
      }
      if !faults.isEmpty { return (.wrong, faults.joined(separator: "; ")) }
      return proposal.confidence == .certain
        ? (.right, "")
        : (
          .likely,
          recognition.observations.filter { $0.confidence == .likely }.map(\.reason).joined(separator: "; ")
        )
    default:
      return (.wrong, "\(recognition.verdict) instead of \(sample.expected.outcome)")
    }
  }

  private func faults(of proposal: Proposal) -> [String] {
    var faults: [String] = []
    let at = proposal.items.at.first?.text ?? ""
    if at != sample.itemsJoin?.map ?? sample.items {
      faults.append("items at \(at) instead of \(sample.items ?? "none")")
    }
    if let fault = fault(ofID: proposal.items) { faults.append(fault) }
    // A total that is an object (`{"value":3,"relation":"eq"}`) is read whole.
    let total = sample.total.map { $0.hasSuffix("/total/value") ? String($0.dropLast(6)) : $0 }
    if let fault = fault("total", Self.text(proposal.says.total), total) { faults.append(fault) }
    if let fault = fault("pageCount", Self.text(proposal.says.pageCount), sample.pageCount) {
      faults.append(fault)
    }
    if let fault = fault(ofMore: proposal) { faults.append(fault) }
    if let fault = fault(ofStyle: proposal) { faults.append(fault) }
    if let fault = fault(ofReading: proposal) { faults.append(fault) }
    return faults
  }

  private func fault(_ what: String, _ found: String?, _ expected: String?) -> String? {
    found == expected ? nil : "\(what) at \(found ?? "none") instead of \(expected ?? "none")"
  }

  private func fault(ofID place: ItemsPlace) -> String? {
    if sample.expected.outcome == "empty" { return nil }
    let found: String? =
      switch place.id {
      case .none: nil
      case .key: "#key"
      case .at(let pointers): (place.each?.text ?? "") + (pointers.first?.text ?? "")
      }
    if found == nil, !distinguishes(sample.itemId) { return nil }
    let expected = sample.itemsJoin != nil ? "#key" : sample.itemId == "#index:0" ? "/0" : sample.itemId
    let isAlternative = Self.alternatives.contains { sample.file.hasPrefix($0.file) && $0.id == found }
    return isAlternative || found == expected
      ? nil : "id at \(found ?? "none") instead of \(expected ?? "none")"
  }

  /// Other members of the recorded items that tell them apart as well as the one that the index names.
  private static let alternatives: [(file: String, id: String)] = [
    ("ansible-galaxy/", "/href"), ("aws-json/config-rules", "/ConfigRuleId"), ("gbif/datasets", "/doi"),
    // The index names none, though every node has one.
    ("github-graphql/", "/id"), ("gerrit/", "/id"),
    ("github/", "/id"), ("gitlab/", "/id"), ("google-places/textsearch", "/id"), ("heroku/", "/slug"),
    ("jenkins/jobs", "/url"), ("nasa-images/page1", "/href"), ("odata-json/v2", "/CustomerID"),
    ("phabricator/", "/id"), ("reddit/", "/data/id"), ("strapi/", "/id"), ("twitter-v1/", "/id"),
    ("weibo/", "/id"),
    // One item's id is empty.
    ("budejie/square", "/url"),
    ("bilibili/arc-search", "/aid"), ("bilibili/popular", "/aid"),
  ]

  /// Whether the id that the index names does tell the recorded items apart; some come twice in their recording.
  private func distinguishes(_ id: String?) -> Bool {
    guard let id, id.hasPrefix("/") || id.isEmpty, let pointer = try? Pointer(id), let body,
      let at = try? Pointer(sample.items ?? ""), let items = body.node(at: at)
    else { return id != nil }
    let texts = body.elements(of: items).map {
      body.node(at: pointer, from: $0).flatMap { body.text(of: $0) }
    }
    return texts.allSatisfy { $0 != nil } && Set(texts).count == texts.count
  }

  private func fault(ofMore proposal: Proposal) -> String? {
    if sample.expected.morePages == true, proposal.isWhole { return "said to be whole, and more follow" }
    return fault(ofNext: proposal)
  }

  private func fault(ofNext proposal: Proposal) -> String? {
    let next: String? =
      switch proposal.style {
      case .link: "header:Link#next"
      case .graphql(let connection): connection.at.text + "/pageInfo/endCursor"
      default: Self.text(proposal.says.next)
      }
    // The index names no next here, though the recording has a continue object.
    let recorded = sample.file == "mediawiki/recentchanges.json" ? "/continue" : sample.next
    let allowed: [String?] = [recorded, sample.nextSelector]
    return next == nil || allowed.contains(next)
      ? nil : "next at \(next ?? "none") instead of \(sample.next ?? "none")"
  }

  private static let styles: [String: Set<String>] = [
    "page-number": ["page", "nextURL", "link"], "offset-limit": ["offset", "token", "nextURL"],
    "opaque-cursor": ["token", "nextURL"], "token": ["token", "nextURL"], "next-url": ["nextURL", "token"],
    "link-header": ["link", "page", "offset"], "header-total": ["page"],
    "id-cursor": ["token", "keyset", "nextURL"],
    "time-cursor": ["token", "keyset", "nextURL"], "continue-object": ["token"],
    "graphql-connection": ["graphql"],
    "range-header": ["token"], "none": [], "ndjson": [],
  ]

  /// Where more follow, the way there is the recorded one, or one that leads to the same page.
  private func fault(ofStyle proposal: Proposal) -> String? {
    let name = Self.name(of: proposal.style)
    if name == "whole" { return nil }
    var allowed = Self.styles[sample.pagingClass] ?? []
    // Where nothing follows, the page or offset that was asked for is as good a way.
    if sample.expected.morePages != true { allowed.formUnion(["page", "offset"]) }
    return allowed.contains(name)
      ? nil : "the style is \(name), and the index has \(sample.pagingClass)"
  }

  private static func name(of style: Style) -> String {
    switch style {
    case .page: "page"
    case .offset: "offset"
    case .token: "token"
    case .link: "link"
    case .nextURL: "nextURL"
    case .keyset: "keyset"
    case .range: "range"
    case .graphql: "graphql"
    default: "whole"
    }
  }

  /// The plan reads the very answer that it was made of: all of its items, and what leads on.
  private func fault(ofReading proposal: Proposal) -> String? {
    let plan = proposal.plan(.nothing, shifts: .watch, limits: .defaults)
    do throws(PageFault) {
      let page = try Normaliser(plan: plan).page(
        ofBody: Bytes(copying: bytes), parser: Parser(maximumDepth: 300), status: sample.response.status,
        fields: RecognitionTests.fields(sample), target: Array("/".utf8))
      if page.rawCount != sample.count { return "\(page.rawCount) items instead of \(sample.count ?? 0)" }
      let isLed = ["token", "link", "nextURL", "graphql"].contains(Self.name(of: proposal.style))
      if isLed, sample.expected.morePages == true, page.said.next == .none || page.said.next == .unsaid {
        return "no next is read, and more follow"
      }
      return nil
    } catch {
      return "the plan does not read the answer: \(error)"
    }
  }

  private static func text(_ locator: Locator?) -> String? {
    switch locator {
    case nil: nil
    case .body(let pointer): pointer.text
    case .header(let name): "header:\(name)"
    case .link(let relation): "header:Link#\(relation)"
    case .lastItem(let pointer): "item:\(pointer.text)"
    case .selected(let array, let member, let value, let rest):
      "\(array.text)[\(member)=\(value)]\(rest.text)"
    }
  }
}
