internal import HTTPSemantics
internal import JSON
internal import Paging

// What a list's configuration says of an answer: where the items are, what else is said, and how it says no.

extension ItemsPlace {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "at", .either([.text(.pointer), .sequence(.text(.pointer), count: 1...16)]), isRequired: true,
        "Where the items are; \"\" is the whole answer. Several places follow one another."),
      Schema.Key(
        "each", .text(.pointer),
        "From an element to the item in it, such as /node. Default: they are the same."
      ),
      Schema.Key(
        "id", .either([.text(.pointer), .sequence(.text(.pointer), count: 1...8)]), isRequired: true,
        "From an item to what tells it from others: one pointer or several together, key (the member name, in an object "
          + "of items), or none."),
      Schema.Key(
        "shape", .words(ShapeWord.self),
        "What stands there: array, map (an object whose values are the items), single (one item), groups (arrays of "
          + "arrays), or any of the first three, told apart by looking. Default: any."),
      Schema.Key("order", .text(.pointer), "For a map: an array of its keys that gives the order."),
      Schema.Key(
        "absent", .words(AbsenceWord.self),
        "What it means when nothing is there: empty (no items), fault, or judged by the rest of the answer. "
          + "Default: judged."),
      Schema.Key(
        "emptyBody", .boolean, "Whether an empty body means no items rather than a fault. Default: false."),
      Schema.Key(
        "format", .words(FormatWord.self),
        "How the body is written: json, lines (a value a line), or texts (json in which each item is a string that holds "
          + "its JSON). Default: json."),
      Schema.Key("trailers", .integer(0...16), "For lines: how many at the end are not items. Default: 0."),
    ]
  }

  fileprivate enum ShapeWord: String, CaseIterable { case any, array, map, single, groups }
  fileprivate enum AbsenceWord: String, CaseIterable { case judged, empty, fault }
  fileprivate enum FormatWord: String, CaseIterable { case json, lines, texts }

  static func decode(_ list: Section) -> ItemsPlace? {
    let section = list.section("items")
    let at = section.pointers("at")
    let each = section.pointer("each")
    let id = identity(section)
    let shape = section.word("shape", ShapeWord.self) ?? .any
    let order = section.pointer("order")
    if section.has("order"), shape != .map, shape != .any {
      section.fault("order", "only a map has an order")
    }
    if case .key? = id, shape != .map, shape != .any {
      section.fault("id", "only the items of a map have a key")
    }
    let absence = section.word("absent", AbsenceWord.self) ?? .judged
    let allowsEmptyBody = section.boolean("emptyBody") ?? false
    let format = section.word("format", FormatWord.self) ?? .json
    let trailers = section.integer("trailers")
    if section.has("trailers"), format != .lines {
      section.fault("trailers", "only the format lines has trailers")
    }
    section.end()
    guard let at, let id else { return nil }
    return ItemsPlace(
      at: at, each: each, id: id, shape: shape.value, order: order, absence: absence.value,
      allowsEmptyBody: allowsEmptyBody, format: format.value(trailers: trailers ?? 0))
  }

  private static func identity(_ section: Section) -> Identity? {
    if let node = section.node("id"), case .scalar(let scalar) = node.content {
      if scalar.text == "key" { return .key }
      if scalar.text == "none" { return .some(.none) }
    }
    return section.pointers("id", orElse: ", key, or none").map { .at($0) }
  }
}

extension ItemsPlace.ShapeWord {
  fileprivate var value: ItemsPlace.Shape {
    switch self {
    case .any: .any
    case .array: .array
    case .map: .map
    case .single: .single
    case .groups: .groups
    }
  }
}

extension ItemsPlace.AbsenceWord {
  fileprivate var value: ItemsPlace.Absence {
    switch self {
    case .judged: .judged
    case .empty: .empty
    case .fault: .fault
    }
  }
}

extension ItemsPlace.FormatWord {
  fileprivate func value(trailers: Int) -> ItemsPlace.Format {
    switch self {
    case .json: .json
    case .lines: .lines(trailers: trailers)
    case .texts: .texts
    }
  }
}

extension Says {
  static var keys: [Schema.Key] {
    [
      Schema.Key("total", .text(.locator), "The number of items in the whole list."),
      Schema.Key("pageCount", .text(.locator), "The number of pages."),
      Schema.Key("page", .text(.locator), "The number of this page."),
      Schema.Key("hasMore", .text(.locator), "Whether more follows."),
      Schema.Key("isLast", .text(.locator), "Whether this is the last page."),
      Schema.Key("next", .text(.locator), "The next page's token, number or URL."),
    ]
  }

  static func decode(_ list: Section) -> Says {
    let section = list.section("says")
    let says = Says(
      total: section.locator("total"), pageCount: section.locator("pageCount"), page: section.locator("page"),
      hasMore: section.locator("hasMore"), isLast: section.locator("isLast"), next: section.locator("next"))
    section.end()
    return says
  }
}

extension Refusal {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "when", .text(.locator),
        "The value that tells a refusal from a success. Default: only an HTTP status does."),
      Schema.Key("is", .scalar, "It is a refusal where the value is this; 0 and \"0\" are the same."),
      Schema.Key("is_not", .scalar, "It is a refusal where the value is anything else, or absent."),
      Schema.Key(
        "in", .sequence(.scalar, count: 1...100), "It is a refusal where the value is one of these."),
      Schema.Key(
        "not_in", .sequence(.scalar, count: 1...100), "It is a refusal where the value is none of these."),
      Schema.Key(
        "present", .boolean,
        "It is a refusal where the value says something (not null, false, 0, \"\", [], {})."),
      Schema.Key("absent", .boolean, "It is a refusal where the value says nothing."),
      Schema.Key(
        "code", .text(.locator),
        "Where the upstream's code is. Default: the value at when, or the HTTP status."),
      Schema.Key(
        "message", .either([.text(.locator), .sequence(.text(.locator), count: 1...8)]),
        "Where the upstream's message is: the first of these that holds one."),
      Schema.Key(
        "cases", .named(.field, .words(MeaningWord.self)),
        "Codes and HTTP statuses that mean more than a refusal, such as \"1001\": session_expired."),
    ]
  }
  private static let tests = ["is", "is_not", "in", "not_in", "present", "absent"]

  fileprivate enum MeaningWord: String, CaseIterable {
    case refused
    case sessionExpired = "session_expired"
    case rateLimited = "rate_limited"
    case notFound = "not_found"
    case endOfList = "end_of_list"
    case cursorExpired = "cursor_expired"
  }

  static func decode(_ section: Section) -> Refusal? {
    let when = section.locator("when")
    let test = test(section)
    let code = section.locator("code")
    let message = section.locators("message")
    let cases = cases(section)
    section.end()
    guard section.isPresent else { return nil }
    guard let when else {
      return section.has("when") ? nil : .byStatus(code: code, message: message, cases: cases)
    }
    guard let test else { return nil }
    return Refusal(when: when, test: test, code: code, message: message, cases: cases)
  }

  private static func test(_ section: Section) -> Test? {
    let found: [(name: String, test: Test?)] = [
      ("is", section.comparand("is").map { .isAny([$0]) }),
      ("is_not", section.comparand("is_not").map { .isNone([$0]) }),
      ("in", section.comparands("in").map { .isAny($0) }),
      ("not_in", section.comparands("not_in").map { .isNone($0) }),
      ("present", section.boolean("present").map { $0 ? .present : .absent }),
      ("absent", section.boolean("absent").map { $0 ? .absent : .present }),
    ]
    let given = found.filter { section.has($0.name) }
    let words = tests.joined(separator: ", ")
    if !section.has("when") {
      if let first = given.first {
        section.fault(first.name, "there is nothing to test; give when, the place of the value")
      } else if section.isPresent, !["code", "message", "cases"].contains(where: section.has) {
        section.decoding.fault(section.mark, section.path, "it says nothing; give when, with one of \(words)")
      }
      return nil
    }
    if given.isEmpty {
      section.decoding.fault(section.mark, section.path, "the test is missing; give one of \(words)")
    }
    if given.count > 1 {
      section.fault(given[1].name, "one test is allowed, and \(given[0].name) is given already")
      return nil
    }
    return given.first?.test
  }

  private static func cases(_ section: Section) -> [Case] {
    section.named("cases").compactMap { entry -> Case? in
      let words = MeaningWord.allCases.map(\.rawValue)
      let expected = "one of \(words.joined(separator: ", "))"
      guard let text = section.decoding.resolve(entry.node, entry.path, expected: expected) else {
        return nil
      }
      if let word = MeaningWord(rawValue: text.text) {
        return Case(code: .text(entry.name), meaning: word.value)
      }
      let nearest = text.isOutside ? nil : Nearest.word(to: text.text, of: words)
      section.decoding.fault(
        entry.node.mark, entry.path,
        "\(text.shown); allowed: \(words.joined(separator: ", "))\(suggestion(nearest))")
      return nil
    }
  }
}

extension Refusal.MeaningWord {
  fileprivate var value: Refusal.Meaning {
    switch self {
    case .refused: .refused
    case .sessionExpired: .sessionExpired
    case .rateLimited: .rateLimited
    case .notFound: .notFound
    case .endOfList: .endOfList
    case .cursorExpired: .cursorExpired
    }
  }
}
