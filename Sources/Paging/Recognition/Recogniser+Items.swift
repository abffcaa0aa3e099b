import HTTPSemantics
import JSON

/// The place of the items, as far as it was told.
enum ItemsChoice {
  case found(FoundItems)
  /// Two places are as good, or none is good enough; says so.
  case unclear(String)
  case nowhere
}

struct FoundItems {
  let path: [String]
  let pointer: Pointer
  let node: Node
  let shape: ItemsPlace.Shape
  let order: Pointer?
  let each: Pointer?
  /// The items themselves, the first hundred.
  let samples: [Node]
  let count: Int
  let confidence: Confidence
  let reason: String

  var parent: ArraySlice<String> { path.dropLast() }
}

extension Recogniser {
  private struct Ranked {
    let candidate: Survey.Candidate
    var score: Int
    /// Whether more speaks for it than that it is there.
    var isTelling: Bool
    /// Whether its name speaks for it.
    var isNamed = false
    var why: String
  }

  func chooseItems() -> ItemsChoice {
    if survey.isTooWide {
      return .unclear("the answer has too many places to look through; declare items.at and items.id")
    }
    if let empty = emptyOrderedMap() { return .found(empty) }
    let single = onlyItem() ?? itemAskedFor()
    var ranked = survey.candidates.map { rank($0) }.sorted { $0.score > $1.score }
    if let ordered = orderedMap() {
      ranked.removeAll { $0.candidate.path == ordered.names.path || $0.candidate.path == ordered.map.path }
      // That one names the other's members speaks for the two as much as a name would.
      let lead = rank(ordered.map).score + 30 - (ranked.first?.score ?? 0)
      if ranked.isEmpty || lead >= 12 { return .found(ordered.found) }
      if lead > -12 { return .unclear(Self.declareItems([ordered.map] + ranked.map(\.candidate))) }
    }
    guard let best = ranked.first, best.score > 0 else {
      if let single { return .found(single) }
      return ranked.isEmpty ? .nowhere : .unclear(Self.declareItems(ranked.map(\.candidate)))
    }
    if let single, !best.isNamed, best.candidate.path.starts(with: single.path) { return .found(single) }
    if let second = ranked.dropFirst().first, best.score - second.score < 12 {
      return .unclear(Self.declareItems([best.candidate, second.candidate]))
    }
    switch best.candidate.shape {
    case .groups:
      return .unclear(
        "\(shown(best.candidate.path)) is an object of arrays; declare items.at and items.shape: groups (their elements "
          + "are the items) or map (each array is one)")
    case .null: return saysEnd() ? found(best) : .unclear(Self.declareItems([best.candidate]))
    case .array, .map: break
    }
    // What is neither named as lists are nor asked for by that name may be a part of one thing that is shown.
    guard best.isTelling || best.candidate.strangers < 3 else {
      return .unclear(Self.declareItems([best.candidate]))
    }
    return found(best)
  }

  /// The items at the place that is declared for them.
  func declaredItems(_ place: ItemsPlace) -> ItemsChoice {
    guard let pointer = place.at.first, let node = document.node(at: pointer) else {
      return .unclear("nothing is at \(place.at.first?.text ?? ""), where items.at has the items")
    }
    var elements = Array(document.elements(of: node))
    if document.kind(of: node) == .object { elements = document.members(of: node).map(\.value) }
    let samples = elements.prefix(100).map { element in
      place.each.flatMap { document.node(at: $0, from: element) } ?? element
    }
    return .found(
      FoundItems(
        path: pointer.tokens.map { pointer.name(of: $0) }, pointer: pointer, node: node, shape: place.shape,
        order: place.order, each: place.each, samples: samples, count: elements.count, confidence: .certain,
        reason: "items.at has them at \(shown(pointer.tokens.map { pointer.name(of: $0) }))"))
  }

  private static func declareItems(_ candidates: [Survey.Candidate]) -> String {
    let places = candidates.prefix(4).map { "\"/\($0.path.joined(separator: "/"))\"" }
    return
      "where the items are is not clear (\(places.joined(separator: " or "))?); declare items.at and items.id"
  }

  private func rank(_ candidate: Survey.Candidate) -> Ranked {
    var ranked = Ranked(candidate: candidate, score: 0, isTelling: false, why: "")
    let name = Vocabulary.folded(candidate.path.last ?? "")
    switch candidate.shape {
    case .array(.objects): ranked.score = 40
    case .array(.arrays): ranked.score = 15
    case .array(.scalars): ranked.score = 5
    case .array(.none): ranked.score = 20
    case .array(.mixed): ranked.score = -60
    case .map: ranked.score = 25
    case .groups: ranked.score = 25
    case .null: ranked.score = 0
    }
    if candidate.path.isEmpty {
      ranked.score += 100
      ranked.isTelling = true
      ranked.why = "the whole answer is"
      return ranked
    }
    if isAside(candidate.path) { ranked.score -= 80 }
    if Vocabulary.items.contains(name) {
      ranked.score += 30
      ranked.isTelling = true
      ranked.why = "its name says so"
    }
    if isAskedFor(name) {
      ranked.score += 30
      ranked.isTelling = true
      ranked.why = "the request asks for it by name"
    } else if let parent = candidate.path.dropLast().last, Self.areRelated(name, Vocabulary.folded(parent)) {
      ranked.score += 15
      ranked.isTelling = true
      ranked.why = "it is named like the object that it is in"
    } else if isCounted(name) {
      ranked.score += 20
      ranked.isTelling = true
      ranked.why = "a count beside it is named like it"
    }
    ranked.isNamed = ranked.isTelling
    if let size = sentSize(), candidate.count == size { ranked.score += 10 }
    if case .array(.scalars) = candidate.shape, !ranked.isTelling {
      ranked.score -= name.hasSuffix("ids") ? 0 : 30
    }
    if !ranked.isTelling, isPaged() { ranked.isTelling = true }
    ranked.score += min(candidate.count, 8) - 6 * (candidate.path.count - 1)
    return ranked
  }

  /// Whether the way there leads through something that is no list.
  func isAside(_ path: [String]) -> Bool {
    guard let last = path.last else { return false }
    let name = Vocabulary.folded(last)
    if Vocabulary.asides.contains(name), !isAskedFor(name) { return true }
    return path.dropLast().contains { step in
      let name = Vocabulary.folded(step)
      return Vocabulary.asides.contains(name) && name != "hits"
    }
  }

  /// Whether the path or a value of the request names `name`, in the singular or the plural.
  private func isAskedFor(_ name: String) -> Bool {
    let segments = request.path.split(separator: "/").suffix(3).flatMap { segment in
      segment.split { $0 == "." || $0 == ":" }
    }
    if segments.contains(where: { Self.areRelated(name, Vocabulary.folded($0)) }) { return true }
    if request.values.contains(where: { Vocabulary.folded($0.name).hasSuffix(name) && name.utf8.count > 3 }),
      !Vocabulary.asides.contains(name)
    {
      return true
    }
    return request.values.contains { value in
      value.text.utf8.count < 40
        && value.text.split(separator: ".").contains { Self.areRelated(name, Vocabulary.folded($0)) }
    }
  }

  private func isCounted(_ name: String) -> Bool {
    let one = Self.singular(name)
    return survey.facts.contains { fact in
      fact.name == "\(one)count" || fact.name == "total\(name)" || fact.name == "\(name)count"
    }
  }

  /// Whether two folded names are one but for their number, or one begins with the other.
  static func areRelated(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count > 2, other.utf8.count > 2 else { return false }
    let (left, right) = (singular(one), singular(other))
    return left == right || left == "\(right)list" || right == "\(left)list"
      || (left.utf8.count > 4 && right.hasSuffix(left)) || (right.utf8.count > 4 && left.hasSuffix(right))
  }

  static func singular(_ name: String) -> String {
    if name.hasSuffix("ies") { return "\(name.dropLast(3))y" }
    if name.hasSuffix("sses") || name.hasSuffix("xes") { return String(name.dropLast(2)) }
    return name.hasSuffix("s") && !name.hasSuffix("ss") ? String(name.dropLast()) : name
  }

  /// Whether something outside of the items says that the answer is a page.
  private func isPaged() -> Bool {
    survey.fact(named: Vocabulary.nextURLs + Vocabulary.hasMore + Vocabulary.pageCounts) != nil
      || survey.fact(named: Vocabulary.totals.filter { !Vocabulary.doubtfulTotals.contains($0) }) != nil
      || survey.facts.contains { $0.name.hasPrefix("next") } || !survey.links.isEmpty
      || LinkField.target("next", in: fields) != nil
  }

  /// Whether something says that nothing is here or nothing follows.
  private func saysEnd() -> Bool {
    survey.facts(named: Vocabulary.totals).contains { survey.count($0) == 0 }
      || survey.facts(named: Vocabulary.hasMore).contains { survey.flag($0) == false }
      || survey.facts(named: Vocabulary.isLast).contains { survey.flag($0) == true }
  }

  // MARK: What was found

  private func found(_ ranked: Ranked) -> ItemsChoice {
    let candidate = ranked.candidate
    guard let pointer = Pointer(steps: candidate.path) else { return .nowhere }
    let place = candidate.path.isEmpty ? "the whole answer" : pointer.text
    var elements: [Node]
    let isMap: Bool
    let what: String
    switch candidate.shape {
    case .map:
      isMap = true
      elements = document.members(of: candidate.node).prefix(100).map(\.value)
      what = "\(place) is an object of \(candidate.count) objects of one kind"
    default:
      isMap = false
      elements = Array(document.elements(of: candidate.node).prefix(100))
      what =
        document.isNull(candidate.node) ? "\(place) is null" : "\(place) is an array of \(candidate.count)"
    }
    let each = isMap ? nil : edgeNode(elements)
    if let each { elements = elements.compactMap { document.node(at: each, from: $0) } }
    let why = ranked.why.isEmpty || candidate.path.isEmpty ? "it is the only such place" : ranked.why
    return .found(
      FoundItems(
        path: candidate.path, pointer: pointer, node: candidate.node, shape: isMap ? .map : .any, order: nil,
        each: each, samples: elements, count: candidate.count,
        confidence: isMap && !ranked.isTelling ? .likely : .certain, reason: "\(what); \(why)"))
  }

  /// `/node` where every element is an edge of a connection.
  private func edgeNode(_ elements: [Node]) -> Pointer? {
    guard let pointer = Pointer(steps: ["node"]), !elements.isEmpty else { return nil }
    return elements.allSatisfy { element in
      document.value(named: "node", in: element).map { document.kind(of: $0) == .object } ?? false
        && (document.value(named: "cursor", in: element) != nil || document.count(of: element) == 1)
    } ? pointer : nil
  }

  /// An array of names beside an object that has a member for each: the object's order.
  private func orderedMap() -> (found: FoundItems, map: Survey.Candidate, names: Survey.Candidate)? {
    for names in survey.candidates where names.count > 0 {
      guard case .array(.scalars) = names.shape else { continue }
      for map in survey.candidates
      where map.count == names.count && map.path.dropLast() == names.path.dropLast() {
        guard case .map = map.shape, let found = found(map, orderedBy: names) else { continue }
        return (found, map, names)
      }
    }
    return nil
  }

  /// Nil where the names are not those of the members, each once.
  private func found(_ map: Survey.Candidate, orderedBy names: Survey.Candidate) -> FoundItems? {
    guard let pointer = Pointer(steps: map.path), let order = Pointer(steps: names.path) else { return nil }
    var members: [String: Node] = [:]
    for (key, value) in document.members(of: map.node) { members[key.text] = value }
    var samples: [Node] = []
    for name in document.elements(of: names.node) {
      guard let text = document.text(of: name), let value = members.removeValue(forKey: text) else {
        return nil
      }
      if samples.count < 100 { samples.append(value) }
    }
    return FoundItems(
      path: map.path, pointer: pointer, node: map.node, shape: .map, order: order, each: nil,
      samples: samples,
      count: names.count, confidence: .certain,
      reason: "\(pointer.text) has a member for each of the \(names.count) names in \(order.text)")
  }

  /// The same where nothing is there: `{"order":[],"posts":{}}`.
  private func emptyOrderedMap() -> FoundItems? {
    guard survey.objects.count == 2, survey.facts.isEmpty, survey.candidates.count == 1,
      let names = survey.candidates.first, names.count == 0, names.path == ["order"],
      let map = survey.objects.last,
      let pointer = Pointer(steps: map.path), let order = Pointer(steps: names.path)
    else { return nil }
    return FoundItems(
      path: map.path, pointer: pointer, node: map.node, shape: .map, order: order, each: nil, samples: [],
      count: 0,
      confidence: .certain, reason: "\(order.text) is empty, and so is \(pointer.text)")
  }

  /// One object where an array would be, as converters from XML have it: a total of 1 tells.
  private func onlyItem() -> FoundItems? {
    guard
      survey.facts(named: Vocabulary.totals.filter { $0 != "count" }).contains(where: {
        survey.count($0) == 1
      })
    else { return nil }
    let objects = survey.objects.filter { object in
      object.path.count > 0 && document.count(of: object.node) > 2 && !isAside(object.path)
        && survey.facts.contains {
          $0.parent == object.path[...] && isIDName(Vocabulary.folded($0.path.last ?? ""))
        }
    }
    guard let first = objects.first, objects.allSatisfy({ $0.path.starts(with: first.path) }),
      let pointer = Pointer(steps: first.path)
    else { return nil }
    return FoundItems(
      path: first.path, pointer: pointer, node: first.node, shape: .any, order: nil, each: nil,
      samples: [first.node], count: 1, confidence: .likely,
      reason: "\(pointer.text) is one object, and the total is 1")
  }

  /// The one object that the request's path asks for by its id, under a name as lists have it: of `/incidents/9c57` the
  /// answer `{"result":{"sys_id":"9c57","number":"INC1"}}`.
  private func itemAskedFor() -> FoundItems? {
    guard document.count(of: document.root) == 1,
      let object = survey.objects.first(where: { $0.path.count == 1 }),
      Vocabulary.items.contains(Vocabulary.folded(object.path[0])),
      let segment = request.path.split(separator: "/").last.map(String.init),
      let id = survey.facts.first(where: { fact in
        fact.parent == object.path[...] && isIDName(fact.name) && survey.text(fact) == segment
      }),
      let pointer = Pointer(steps: object.path)
    else { return nil }
    return FoundItems(
      path: object.path, pointer: pointer, node: object.node, shape: .any, order: nil, each: nil,
      samples: [object.node], count: 1, confidence: .likely,
      reason: "\(pointer.text) is one object, which the path asks for by its \(id.path.last ?? "id")")
  }

  private func isIDName(_ name: String) -> Bool {
    name.hasSuffix("id") || ["url", "uri", "name", "key", "code"].contains(name)
  }

  func shown(_ path: [String]) -> String {
    path.isEmpty ? "the whole answer" : "/" + path.joined(separator: "/")
  }
}
