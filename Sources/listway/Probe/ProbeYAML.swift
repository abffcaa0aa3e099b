import HTTPSemantics
import JSON
import Paging

/// A recognised list as configuration, complete: an upstream and a list.
struct ProbeYAML {
  let target: ProbeTarget
  let proposal: Proposal
  let name: String?

  /// A list that says that it is all here does not show how it would page.
  private var isOpen: Bool { proposal.isWhole && proposal.says != .nothing }

  var text: String {
    // Whoever tries a list wants to see it; who else may is for the file to say.
    var lines = ["access: none  # for everybody who reaches the gateway; see who may ask"]
    lines += ["upstreams:", "  \(upstreamName):", "    url: \(YAMLText.scalar(target.origin))", "lists:"]
    lines.append("  \(listName):")
    lines.append("    upstream: \(upstreamName)")
    lines.append("    request: \(flow(request))")
    lines.append("    paging: \(flow(paging))")
    if let items { lines.append("    items: \(flow(items))") }
    if !says.isEmpty { lines.append("    says: \(flow(says))") }
    if let refused { lines.append("    refused: \(flow(refused))") }
    return lines.joined(separator: "\n")
  }

  // MARK: Names

  var listName: String {
    if let name { return name }
    let segments = target.path.split(separator: "/").map { segment in
      segment.split(separator: ".").first.map { Self.entity($0) } ?? ""
    }
    let ignored: Set<String> = [
      "api", "rest", "v1", "v2", "v3", "v4", "json", "list", "graphql", "search", "index", "get",
    ]
    let telling = segments.last { segment in
      segment.count > 1 && !ignored.contains(segment.lowercased()) && segment.contains { $0.isLetter }
    }
    return telling ?? "items"
  }

  private var upstreamName: String {
    let labels = target.host.split(separator: ".")
    let isName = target.host.contains { $0.isLetter } && !target.host.hasPrefix("[")
    guard isName, labels.count > 1 else { return "upstream" }
    let name = Self.entity(labels[labels.count - 2])
    return name.isEmpty ? "upstream" : name
  }

  /// What of a text may stand in a name.
  private static func entity(_ text: Substring) -> String {
    let kept = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    return String(kept.drop { $0 == "-" || $0 == "_" }.prefix(64))
  }

  // MARK: Sections

  private typealias Member = (key: String, value: String)

  private func flow(_ members: [Member]) -> String {
    "{" + members.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
  }

  private var request: [Member] {
    var members: [Member] = []
    if target.method == .post { members.append(("method", "POST")) }
    let isPathPlaced = placements.contains { if case .path = $0 { true } else { false } }
    if !isPathPlaced, target.path != "/" {
      members.append(("path", YAMLText.literal(target.path)))
    }
    let query = fields(
      SentRequest(target: Array("/?\(target.query)".utf8), form: nil, json: nil).values.map {
        ProbeOptions.Pair(name: $0.name, value: $0.text)
      }
    ) { .query($0) }
    if !query.isEmpty { members.append(("query", flow(query))) }
    let form = fields(target.form) { .form($0) }
    if !form.isEmpty { members.append(("form", flow(form))) }
    if let json = target.json { members.append(("json", Self.json(json))) }
    let headers = fields(target.headers) { .header($0) }
    if !headers.isEmpty { members.append(("headers", flow(headers))) }
    return members.isEmpty ? [("path", "\"\"")] : members
  }

  /// What was sent, but for what paging sends from now on.
  private func fields(_ pairs: [ProbeOptions.Pair], _ place: (String) -> Placement) -> [Member] {
    var members: [(key: String, values: [String])] = []
    for pair in pairs where isOpen || !placements.contains(place(pair.name)) {
      let value = YAMLText.literal(pair.value)
      if let index = members.firstIndex(where: { $0.key == pair.name }) {
        members[index].values.append(value)
      } else {
        members.append((pair.name, [value]))
      }
    }
    return members.map { member in
      (
        YAMLText.scalar(member.key),
        member.values.count == 1 ? member.values[0] : "[\(member.values.joined(separator: ", "))]"
      )
    }
  }

  /// JSON is YAML, once its texts are kept from being read as parameters.
  private static func json(_ text: String) -> String {
    guard let document = try? Parser(maximumDepth: 64).parse(Bytes(copying: Array(text.utf8))) else {
      return text
    }
    func value(_ node: Node) -> String {
      switch document.kind(of: node) {
      case .object:
        return "{"
          + document.members(of: node).map { "\(YAMLText.quoted($0.key.text)): \(value($0.value))" }
          .joined(separator: ", ") + "}"
      case .array: return "[" + document.elements(of: node).map { value($0) }.joined(separator: ", ") + "]"
      case .string: return YAMLText.quoted(YAMLText.escaped(document.string(of: node) ?? ""))
      case .number, .bool, .null:
        return String(decoding: document.bytes[document.range(of: node)], as: UTF8.self)
      }
    }
    return value(document.root)
  }

  /// Where paging sends its values.
  private var placements: [Placement] {
    switch proposal.style {
    case .page(let page): [page.page, page.size?.placement].compactMap { $0 }
    case .offset(let offset): [offset.offset, offset.size?.placement].compactMap { $0 }
    case .token(let token):
      if case .at(let placement) = token.sending {
        [placement, token.size?.placement].compactMap { $0 }
      } else {
        []
      }
    case .keyset(let keyset): [keyset.sending, keyset.size?.placement].compactMap { $0 }
    case .graphql(let connection): [connection.after]
    default: []
    }
  }

  private var paging: [Member] {
    if isOpen { return [("style", "auto")] }
    switch proposal.style {
    case .page(let page):
      return [("style", "page"), ("page", place(page.page, [("first", "\(page.first)")]))] + size(page.size)
    case .offset(let offset):
      let first: [Member] = offset.first == 0 ? [] : [("first", "\(offset.first)")]
      return [("style", "offset"), ("offset", place(offset.offset, first))] + size(offset.size)
    case .token(let token):
      var more: [Member] = token.first.map { [("first", YAMLText.scalar($0))] } ?? []
      if token.endsByRepeating { more.append(("endsByRepeating", "true")) }
      let sending: String
      switch token.sending {
      case .at(let placement): sending = place(placement, more)
      case .membersInQuery: sending = flow([("members", "query")] + more)
      case .membersInForm: sending = flow([("members", "form")] + more)
      }
      return [("style", "token"), ("token", sending)] + size(token.size)
    case .link(let link): return [("style", "link")] + hosts(link.hosts)
    case .nextURL(let next): return [("style", "nextURL")] + hosts(next.hosts)
    case .keyset(let keyset):
      let key: [Member] = keyset.key.map { [("key", YAMLText.scalar($0.text))] } ?? []
      let step: [Member] = keyset.step == 0 ? [] : [("step", "\(keyset.step)")]
      return [
        ("style", "keyset"),
        ("keyset", place(keyset.sending, key + step)),
      ]
        + size(keyset.size)
    case .graphql(let connection):
      return [
        ("style", "graphql"), ("connection", YAMLText.scalar(connection.at.text)),
        ("after", place(connection.after, [])),
      ]
    default: return [("style", "whole")]
    }
  }

  private func size(_ size: PageSize?) -> [Member] {
    guard let size else { return [] }
    let value: Member = ("value", "\(size.value)")
    return [("size", size.placement.map { place($0, [value]) } ?? flow([value]))]
  }

  private func hosts(_ hosts: TrustedHosts) -> [Member] {
    hosts.aliases.isEmpty
      ? [] : [("hosts", "[\(hosts.aliases.map { YAMLText.scalar($0) }.joined(separator: ", "))]")]
  }

  private func place(_ placement: Placement, _ more: [Member]) -> String {
    let member: Member =
      switch placement {
      case .query(let name): ("query", YAMLText.scalar(name))
      case .form(let name): ("form", YAMLText.scalar(name))
      case .json(let pointer): ("json", YAMLText.scalar(pointer.text))
      case .header(let name): ("header", YAMLText.scalar(name))
      case .path(let pattern): ("path", YAMLText.scalar(pattern))
      }
    return flow([member] + more)
  }

  private var items: [Member]? {
    let place = proposal.items
    guard let at = place.at.first else { return nil }
    var members: [Member] = [("at", at.text.isEmpty ? "\"\"" : YAMLText.scalar(at.text))]
    if let each = place.each { members.append(("each", YAMLText.scalar(each.text))) }
    switch place.id {
    case .none: members.append(("id", "none"))
    case .key: members.append(("id", "key"))
    case .at(let pointers):
      let texts = pointers.map { $0.text.isEmpty ? "\"\"" : YAMLText.scalar($0.text) }
      members.append(("id", texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"))
    }
    if place.shape == .map { members.append(("shape", "map")) }
    if let order = place.order { members.append(("order", YAMLText.scalar(order.text))) }
    if case .lines(let trailers) = place.format {
      members += [("format", "lines")] + (trailers > 0 ? [("trailers", "\(trailers)")] : [])
      members.append(("emptyBody", "true"))
    }
    return members
  }

  private var says: [Member] {
    let says = proposal.says
    let all: [(String, Locator?)] = [
      ("total", says.total), ("pageCount", says.pageCount), ("page", says.page), ("hasMore", says.hasMore),
      ("isLast", says.isLast), ("next", says.next),
    ]
    return all.compactMap { name, locator in locator.map { (name, YAMLText.scalar($0.text)) } }
  }

  private var refused: [Member]? {
    guard let refusal = proposal.refusal else { return nil }
    let place: Locator? = refusal.when
    guard let when = place else { return nil }
    var members: [Member] = [("when", YAMLText.scalar(when.text))]
    switch refusal.test {
    case .isAny(let values): members.append(("in", list(values)))
    case .isNone(let values):
      members.append(values.count == 1 ? ("is_not", scalar(values[0])) : ("not_in", list(values)))
    case .present: members.append(("present", "true"))
    default: return nil
    }
    if let code = refusal.code { members.append(("code", YAMLText.scalar(code.text))) }
    let messages = refusal.message.map { YAMLText.scalar($0.text) }
    if !messages.isEmpty { members.append(("message", "[\(messages.joined(separator: ", "))]")) }
    return members
  }

  private func list(_ values: [Scalar]) -> String { "[\(values.map { scalar($0) }.joined(separator: ", "))]" }

  private func scalar(_ value: Scalar) -> String {
    guard case .text(let text) = value else { return "null" }
    let isBare = Int(text) != nil || text == "true" || text == "false"
    return isBare ? text : YAMLText.scalar(text)
  }
}
