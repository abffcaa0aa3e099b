internal import HTTPSemantics
internal import Paging

extension Style {
  /// The keys of `paging`, style by style.
  static var shape: Schema {
    Schema.variants(
      key: "style", about: "How the upstream pages.",
      [
        Schema.Variant("page", [pageCounter, size, ending] + shared),
        Schema.Variant("offset", [offsetCounter, size, ending] + shared),
        Schema.Variant("token", [tokenKey, size] + shared),
        Schema.Variant("link", [relation, size, hosts] + shared),
        Schema.Variant("nextURL", [size, hosts, byGet, onlyQuery] + shared),
        Schema.Variant("keyset", [keysetKey, size, keyedEnding] + shared),
        Schema.Variant("range", [rangeKey, rangeSize, ending] + shared),
        Schema.Variant("graphql", [connection, after, size] + shared),
        Schema.Variant("window", Window.keys + shared),
        Schema.Variant("whole", []),
        Schema.Variant("auto", [hosts] + shared),
      ])
  }

  // MARK: Keys

  private static var shared: [Schema.Key] {
    [
      Schema.Key(
        "shifts", .word(ShiftsWord.allCases.map(\.rawValue)),
        "What is paid for items that come and go during a walk: exact proves every seam between two pages, watch only "
          + "where something says that the list moved, off none. Default: watch."),
      Schema.Key("limits", .mapping(Limits.keys), "How far a walk goes in vain."),
    ]
  }

  private static var pageCounter: Schema.Key {
    Schema.Key(
      "page",
      .mapping(
        PlacementTable.keys + [
          Schema.Key("first", .integer(0...1_000_000), "The number of the first. Default: 1."),
          Schema.Key(
            "bare", .boolean,
            "Whether the first page is asked for without a number, at the request's own path. Default: false."
          ),
        ]), isRequired: true, "The page's number.")
  }

  private static var offsetCounter: Schema.Key {
    Schema.Key(
      "offset",
      .mapping(
        PlacementTable.keys + [
          Schema.Key("first", .integer(0...1_000_000), "The offset of the first item. Default: 0."),
          Schema.Key(
            "prefix", .text(.field), "Put before the number: T for tokens such as T0, T20. Default: nothing."),
        ]), isRequired: true, "The number of items before the page.")
  }

  private static var tokenKey: Schema.Key {
    Schema.Key(
      "token",
      .mapping(
        PlacementTable.keys + [
          Schema.Key(
            "members", .word(["query", "form"]),
            "The token is an object, each of whose members is sent there by its name."),
          Schema.Key("first", .text(.field), "Sent to get the first page. Default: nothing is."),
          Schema.Key("alone", .boolean, "Whether it goes without the request's own query. Default: false."),
          Schema.Key(
            "endsByRepeating", .boolean,
            "Whether getting back the token that was sent is the end. Default: false."),
          Schema.Key(
            "once", .boolean,
            "Whether a token gives whichever page is next, once, as a scroll does: slices are whole pages then. "
              + "Default: false."),
        ]), isRequired: true, "The upstream's token; says.next tells where it is found.")
  }

  private static var keysetKey: Schema.Key {
    Schema.Key(
      "keyset",
      .mapping(
        PlacementTable.keys + [
          Schema.Key(
            "key", .text(.pointer),
            "From the last item to the value that is sent. Default: says.next tells where the answer gives it."
          ),
          Schema.Key("step", .integer(-1...1), "Added to a whole number before it is sent. Default: 0."),
          Schema.Key("first", .text(.field), "Sent to get the first page. Default: nothing is."),
        ]), isRequired: true, "The value of the last item that the next page follows.")
  }

  private static var rangeKey: Schema.Key {
    Schema.Key(
      "range",
      .mapping([
        Schema.Key("header", .text(.field), "The header field to send it in. Default: Range."),
        Schema.Key(
          "unit", .text(.field), "What stands before the = sign; empty for the bare range. Default: items."),
      ]), "The range of items.")
  }

  private static var size: Schema.Key {
    Schema.Key(
      "size",
      .mapping(PlacementTable.keys + [sizeValue]), "Items to a page: where the number is sent, if anywhere.")
  }
  private static var rangeSize: Schema.Key {
    Schema.Key(
      "size", .mapping([sizeValue]), isRequired: true, "Items to a page.")
  }
  private static var sizeValue: Schema.Key {
    Schema.Key(
      "value", .integer(1...100_000), isRequired: true, "The number of items.")
  }

  private static var ending: Schema.Key {
    Schema.Key(
      "end", .mapping(Ending.keys(default: .counted)),
      "What ends the list where the upstream says nothing better.")
  }
  private static var keyedEnding: Schema.Key {
    Schema.Key(
      "end", .mapping(Ending.keys(default: .keyed)),
      "What ends the list where the upstream says nothing better.")
  }

  private static var relation: Schema.Key {
    Schema.Key(
      "relation", .text(.field), "The relation to follow. Default: next.")
  }
  private static var hosts: Schema.Key {
    Schema.Key(
      "hosts", .sequence(.text(.field), count: 0...100),
      "Other host names that the upstream goes by in its links. Only path and query of a link are ever used.")
  }
  private static var byGet: Schema.Key {
    Schema.Key(
      "byGet", .boolean,
      "Whether a next URL is asked for by GET although the first page is asked for by POST. Default: false.")
  }
  private static var onlyQuery: Schema.Key {
    Schema.Key(
      "onlyQuery", .boolean,
      "Whether says.next finds no URL but a query, with or without its question mark. Default: false.")
  }
  private static var connection: Schema.Key {
    Schema.Key(
      "connection", .text(.pointer), isRequired: true, "The object that holds pageInfo, such as /data/issues."
    )
  }
  private static var after: Schema.Key {
    Schema.Key(
      "after", .mapping(PlacementTable.keys), isRequired: true,
      "Where the cursor is sent, usually json: /variables/after.")
  }

  // MARK: Decoding

  struct Paging {
    let style: Style
    let shifts: Shifts
    let limits: Limits
    /// The hosts that a next URL may name, where the style is to be recognised from a walk's first answer.
    let recognition: TrustedHosts?
  }

  /// The word for a style that is recognised.
  static let auto = "auto"

  /// Reads the `paging` of a list.
  static func decode(
    _ list: Section, upstream: BaseURL?, placements: PlacementTable, table: ParameterTable
  ) -> Paging? {
    guard let (word, section) = list.variant("paging") else { return nil }
    let before = section.decoding.faults.count
    let style = decode(word, section, host: upstream?.host ?? "", placements, table)
    var shifts = Shifts.watch
    var limits = Limits.defaults
    if word != "whole" {
      shifts = section.word("shifts", ShiftsWord.self)?.value ?? shifts
      limits = Limits.decode(section.section("limits"))
    }
    let recognition = word == auto ? TrustedHosts.decode(section, own: upstream?.host ?? "") : nil
    section.end()
    guard let style, section.decoding.faults.count == before else { return nil }
    return Paging(style: style, shifts: shifts, limits: limits, recognition: recognition)
  }

  private static func decode(
    _ word: String, _ section: Section, host: String, _ placements: PlacementTable, _ table: ParameterTable
  ) -> Style? {
    switch word {
    case "page": PageNumber.decode(section, placements).map { .page($0) }
    case "offset": Offset.decode(section, placements).map { .offset($0) }
    case "token": Token.decode(section, placements).map { .token($0) }
    case "link":
      .link(
        LinkRelation(
          relation: section.field("relation") ?? "next", size: PageSize.decode(section, placements),
          hosts: .decode(section, own: host)))
    case "nextURL":
      .nextURL(
        NextURL(
          size: PageSize.decode(section, placements), hosts: .decode(section, own: host),
          byGet: section.boolean("byGet") ?? false, isQuery: section.boolean("onlyQuery") ?? false))
    case "keyset": Keyset.decode(section, placements).map { .keyset($0) }
    case "range": ItemRange.decode(section).map { .range($0) }
    case "graphql": Connection.decode(section, placements).map { .graphql($0) }
    case "window": Window.decode(section, placements, table).map { .window($0) }
    default: .whole(Whole())
    }
  }
}

private enum ShiftsWord: String, CaseIterable {
  case exact, watch, off

  var value: Shifts {
    switch self {
    case .exact: .exact
    case .watch: .watch
    case .off: .off
    }
  }
}
