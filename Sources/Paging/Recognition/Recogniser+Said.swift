import HTTPSemantics
import JSON

/// What an answer says beside its items, where, and with what value.
struct ReadSaid {
  struct Entry<Value> {
    let locator: Locator
    let value: Value
    let shown: String
    /// Folded, and as it is spelled.
    let name: String
    let spelled: String
  }

  var total: Entry<Int>?
  /// Whether the list has `total` items or more.
  var totalIsLowerBound = false
  var pageCount: Entry<Int>?
  var page: Entry<Int>?
  var offset: Entry<Int>?
  var size: Entry<Int>?
  var hasMore: Entry<Bool>?
  var isLast: Entry<Bool>?
}

extension Recogniser {
  mutating func readSaid(_ found: FoundItems) -> ReadSaid {
    var said = ReadSaid()
    said.size = count(named: Vocabulary.pageSizes, in: found, headers: ["X-Per-Page", "X-Page-Size"])
    said.page = count(named: Vocabulary.pageNumbers, in: found, headers: ["X-Page", "X-Current-Page"])
    said.offset = count(named: Vocabulary.offsets, in: found, headers: [])
    said.hasMore = flag(named: Vocabulary.hasMore, in: found)
    said.isLast = flag(named: Vocabulary.isLast, in: found)
    if said.hasMore == nil, said.isLast == nil { said.hasMore = flagInLastItem(found) }
    said.pageCount = count(
      named: Vocabulary.pageCounts, in: found, headers: ["X-Total-Pages", "X-WP-TotalPages", "X-Page-Count"])
    readTotal(found, &said)
    if said.page != nil, said.page?.name == "number", said.pageCount == nil { said.page = nil }
    check(&said, found)
    report(said, found)
    return said
  }

  // MARK: Looking

  /// Facts with one of these names, the nearest to the items first, then in the order of the names. Those inside of asides
  /// that count something else are left out.
  func near(_ found: FoundItems, named names: [String]) -> [Survey.Fact] {
    let order = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return survey.facts.compactMap { fact -> (fact: Survey.Fact, rank: Int)? in
      guard let place = order[fact.name], !isElsewhere(fact, found) else { return nil }
      return (fact, distance(fact, found) * 64 + place)
    }
    .sorted { $0.rank < $1.rank }.map(\.fact)
  }

  /// Steps from where the items are to where a fact is.
  private func distance(_ fact: Survey.Fact, _ found: FoundItems) -> Int {
    let common = zip(fact.parent, found.parent).prefix { $0 == $1 }.count
    return fact.parent.count + found.parent.count - 2 * common
  }

  /// Whether a fact is about something that is not this list: shards, what was asked, limits.
  private func isElsewhere(_ fact: Survey.Fact, _ found: FoundItems) -> Bool {
    fact.parent.contains { step in
      ["shards", "limits", "args", "params", "constraints", "error", "request", "sort", "debug"]
        .contains(Vocabulary.folded(step))
    } || fact.path.starts(with: found.path) && !found.path.isEmpty
  }

  private func count(named names: [String], in found: FoundItems, headers: [String]) -> ReadSaid.Entry<Int>? {
    for header in headers {
      if let entry = count(header: header) { return entry }
    }
    for fact in near(found, named: names) {
      // A flag that is called like a count (`last_page: true`) is none.
      guard document.bool(of: fact.node) == nil, let number = survey.count(fact), let pointer = fact.pointer
      else {
        continue
      }
      return entry(.body(pointer), number, fact)
    }
    return nil
  }

  func count(header: String) -> ReadSaid.Entry<Int>? {
    guard let name = FieldName(validating: header), let value = fields.first(name),
      case .exactly(let number) = Count(text: Array(value).span)
    else { return nil }
    return ReadSaid.Entry(
      locator: .header(header), value: number, shown: "the header field \(header)",
      name: Vocabulary.folded(header), spelled: header)
  }

  private func entry<Value>(_ locator: Locator, _ value: Value, _ fact: Survey.Fact) -> ReadSaid.Entry<Value>
  {
    ReadSaid.Entry(
      locator: locator, value: value, shown: fact.shown, name: fact.name, spelled: fact.path.last ?? "")
  }

  private func flag(named names: [String], in found: FoundItems) -> ReadSaid.Entry<Bool>? {
    for fact in near(found, named: names) {
      guard let flag = survey.flag(fact), let pointer = fact.pointer else { continue }
      // 0 and 1 are numbers where the word may name one.
      if document.bool(of: fact.node) == nil, ["last", "lastpage", "more", "end"].contains(fact.name) {
        continue
      }
      return entry(.body(pointer), flag, fact)
    }
    return nil
  }

  /// The last item says whether more follows (`_more_changes`), and no other does.
  private func flagInLastItem(_ found: FoundItems) -> ReadSaid.Entry<Bool>? {
    guard found.count == found.samples.count, found.count > 1, let last = found.samples.last else {
      return nil
    }
    for (key, value) in document.members(of: last) {
      guard Vocabulary.hasMore.contains(Vocabulary.folded(key.text)), let flag = document.bool(of: value),
        key.text.hasPrefix("_"), let pointer = Pointer(steps: [key.text])
      else { continue }
      return ReadSaid.Entry(
        locator: .lastItem(pointer), value: flag, shown: "\(key.text) of the last item",
        name: Vocabulary.folded(key.text), spelled: key.text)
    }
    return nil
  }

  // MARK: The total

  private mutating func readTotal(_ found: FoundItems, _ said: inout ReadSaid) {
    for header in [
      "X-Total-Count", "X-WP-Total", "X-Total", "Total-Count", "X-Total-Results", "X-Pagination-Total",
    ] {
      if let entry = count(header: header) {
        said.total = entry
        return
      }
    }
    if let range = fields.text(.contentRange), range.contains("/"), let entry = count(header: "Content-Range")
    {
      said.total = entry
      return
    }
    if let object = totalObject(found) {
      said.total = object.entry
      said.totalIsLowerBound = object.isLowerBound
      return
    }
    var names = Vocabulary.totals
    if let last = found.path.last {
      let list = Vocabulary.folded(last)
      // `songCount` of songs is their total; an item's count is the page's.
      let counts = Self.singular(list) == "item" ? [] : ["\(Self.singular(list))count", "\(list)count"]
      names.insert(contentsOf: ["total\(list)"] + counts, at: names.count - 1)
    }
    for fact in near(found, named: names + ["size", "items", "records"]) {
      guard document.bool(of: fact.node) == nil, let number = survey.count(fact), let pointer = fact.pointer
      else {
        continue
      }
      guard number >= found.count else {
        note(.total, .likely, "\(fact.shown) is \(number), less than the \(found.count) items here: no total")
        continue
      }
      if isDoubtful(fact, number, found, said) { continue }
      said.total = entry(.body(pointer), number, fact)
      return
    }
  }

  /// Elasticsearch's `{"value": 10000, "relation": "gte"}`.
  private func totalObject(_ found: FoundItems) -> (entry: ReadSaid.Entry<Int>, isLowerBound: Bool)? {
    for object in survey.objects where Vocabulary.folded(object.path.last ?? "") == "total" {
      guard object.path.dropLast() == found.parent, let pointer = Pointer(steps: object.path) else {
        continue
      }
      switch Count(.node(object.node), in: document) {
      case .exactly(let number), .atLeast(let number):
        let isLowerBound = if case .atLeast = Count(.node(object.node), in: document) { true } else { false }
        return (
          ReadSaid.Entry(
            locator: .body(pointer), value: number, shown: pointer.text, name: "total", spelled: "total"),
          isLowerBound
        )
      case .unknown, .unreadable: continue
      }
    }
    return nil
  }

  /// Whether a number called `count` and the like may be something other than the total: the items of this page, or a size.
  private func isDoubtful(_ fact: Survey.Fact, _ number: Int, _ found: FoundItems, _ said: ReadSaid) -> Bool {
    guard Vocabulary.doubtfulTotals.contains(fact.name) else { return false }
    let siblings = Set(survey.facts.filter { $0.parent == fact.parent }.map(\.name))
    let isBeside = fact.parent == found.parent
    switch fact.name {
    case "size": return !siblings.contains("pagelen")
    case "items", "records": return !siblings.contains(where: { ["pages", "last", "page"].contains($0) })
    default: break
    }
    let describesPages =
      !siblings.isDisjoint(with: [
        "next", "prev", "previous", "pages", "nextpage", "previouspage", "offset", "limit",
      ])
      || fact.parent.last.map { ["page", "pagination", "paging", "pager"].contains(Vocabulary.folded($0)) }
        ?? false
    if number == found.count, fact.parent.last == "meta" { return isPastTheFirst(said) }
    if number == found.count {
      // The items of this page, unless nothing precedes or follows it.
      return hasNext() || isPastTheFirst(said) || !(isBeside || describesPages)
    }
    if number == 0 { return false }
    if let size = sentSize() ?? said.size?.value, number == size { return true }
    return !(isBeside || describesPages)
  }

  /// Whether the answer or the request tells that this is not the first page.
  func isPastTheFirst(_ said: ReadSaid) -> Bool {
    let previous = survey.facts.contains { fact in
      (fact.name.hasPrefix("prev")
        || fact.parent.last.map { Vocabulary.folded($0).hasPrefix("prev") } ?? false)
        && survey.text(fact).map { $0.count > 1 } ?? false
    }
    return previous || (said.offset?.value ?? 0) > 0
  }

  /// Whether anything is called next and says something.
  private func hasNext() -> Bool {
    survey.facts.contains { fact in
      let inNext = fact.parent.last.map { Vocabulary.folded($0).hasPrefix("next") } ?? false
      return (fact.name.hasPrefix("next") || inNext) && Finding.node(fact.node).saysSomething(document)
        && survey.text(fact) != "0"
    } || LinkField.target("next", in: fields) != nil
      || survey.objects.contains { $0.path == ["LastEvaluatedKey"] && document.count(of: $0.node) > 0 }
  }

  // MARK: Consistency

  /// Drops what the answer itself contradicts.
  private mutating func check(_ said: inout ReadSaid, _ found: FoundItems) {
    if let pageCount = said.pageCount, let total = said.total, let size = said.size?.value ?? sentSize(),
      size > 0,
      total.value > 0
    {
      let expected = (total.value + size - 1) / size
      if pageCount.value == expected {
        note(
          .pageCount, .certain,
          "\(pageCount.shown) is \(pageCount.value): \(total.value) items in pages of \(size)")
      } else if pageCount.name == "pages" || pageCount.name == "lastpage", pageCount.value > total.value {
        note(
          .pageCount, .likely,
          "\(pageCount.shown) is \(pageCount.value), more than there are items: no page count")
        said.pageCount = nil
      }
    }
    if let pageCount = said.pageCount, let page = said.page, pageCount.locator == page.locator {
      said.page = nil
    }
    if let total = said.total, let page = said.page, total.locator == page.locator { said.page = nil }
  }

  private mutating func report(_ said: ReadSaid, _ found: FoundItems) {
    if let total = said.total {
      note(.total, .certain, "\(total.shown) is \(total.value), and \(found.count) items are here")
    }
    if let page = said.page { note(.page, .certain, "\(page.shown) is \(page.value)") }
    if let size = said.size { note(.size, .certain, "\(size.shown) is \(size.value)") }
    if let hasMore = said.hasMore { note(.more, .certain, "\(hasMore.shown) is \(hasMore.value)") }
    if let isLast = said.isLast { note(.more, .certain, "\(isLast.shown) is \(isLast.value)") }
  }

  /// The page size that was asked for.
  func sentSize() -> Int? {
    for value in request.values(named: Vocabulary.sizeParameters) {
      if let number = Int(value.text), number > 0 { return number }
    }
    return nil
  }
}
