internal import HTTPSemantics
internal import Paging

extension Window {
  fileprivate enum DirectionWord: String, CaseIterable { case backward, forward }

  static var keys: [Schema.Key] {
    [
      Schema.Key("from", .mapping(PlacementTable.keys), "Where the beginning of a window is sent."),
      Schema.Key("to", .mapping(PlacementTable.keys), "Where the end of a window is sent."),
      Schema.Key(
        "length", .duration(lengths), "How long a window is: whole days, or whole units of the format."),
      Schema.Key(
        "months", .integer(1...1_200),
        "Instead of length: how many months of the calendar a window is. 3 are its quarters, 12 its years."),
      Schema.Key(
        "direction", .words(DirectionWord.self),
        "backward, from the latest day to the earliest; or forward. Default: backward."),
      Schema.Key(
        "earliest", .text(.day),
        "The first day of the list. Default: backward, it goes on until nothing more comes."),
      Schema.Key("latest", .text(.day), "The last day of the list. Default: the present."),
      Schema.Key("format", .text(.timeForm), "How times are written. Default: YYYY-MM-DD."),
      Schema.Key(
        "zone", .text(.zone), "How far the upstream's clock is from UTC. Default: +00:00."),
      Schema.Key(
        "inclusive", .boolean, "Whether the end that is sent belongs to the window. Default: true."),
    ]
  }
  private static let lengths = Duration.seconds(1)...Duration.seconds(36_500 * 86_400)

  static func decode(_ section: Section, _ placements: PlacementTable, _ table: ParameterTable) -> Window? {
    let (fromSection, toSection) = (section.section("from"), section.section("to"))
    let from = placements.decode(fromSection, isRequired: true)
    let to = placements.decode(toSection, isRequired: true)
    fromSection.end()
    toSection.end()
    if !section.has("from"), !section.has("to") {
      section.decoding.fault(
        section.mark, section.path, "where to send a window is missing; give from, to, or both")
    }
    let direction = section.word("direction", DirectionWord.self) ?? .backward
    let form = form(section)
    let length = length(section, of: form ?? .days)
    let earliest = bound("earliest", section, table)
    let latest = bound("latest", section, table)
    if direction == .forward {
      if !section.has("earliest") {
        section.decoding.fault(
          section.mark, section.path, "the key \"earliest\" is missing; a walk forward begins with it")
      } else if case .parameter(let index)? = earliest, table.mayBeAbsent(index) {
        section.fault(
          "earliest", "a walk forward begins with it, so this parameter has to be required or have a default")
      }
    }
    let zone = zone(section)
    let includesEnd = section.boolean("inclusive") ?? true
    guard let length, from != nil || to != nil else { return nil }
    return Window(
      from: from, to: to, length: length, direction: direction == .forward ? .forward : .backward,
      earliest: earliest, latest: latest, form: form ?? .days, zone: zone, includesEnd: includesEnd)
  }

  private static func form(_ section: Section) -> TimeForm? {
    guard let text = section.text("format", expected: Schema.TextKind.timeForm.rawValue) else { return nil }
    if let form = TimeForm(text.text) { return form }
    section.fault(
      "format",
      "\(text.shown); \(Schema.TextKind.timeForm.rawValue) is expected: with YYYY, MM and DD, then hh, mm and ss "
        + "as far as they are needed")
    return nil
  }

  private static func length(_ section: Section, of form: TimeForm) -> Length? {
    if section.has("months") {
      if section.has("length") {
        section.fault("months", "a window has a length already; give one of the two")
      }
      return section.integer("months").map { .months($0) }
    }
    guard section.has("length") else {
      section.decoding.fault(
        section.mark, section.path, "how long a window is, is missing; give length or months")
      return nil
    }
    guard let length = section.duration("length") else { return nil }
    let (seconds, rest) = length.components
    let unit = form.unit.seconds
    if rest == 0, seconds % Int64(unit) == 0 { return .seconds(Int(seconds)) }
    section.fault("length", "the format counts in steps of \(Units.text(.seconds(unit))); give whole ones")
    return nil
  }

  private static func bound(_ name: String, _ section: Section, _ table: ParameterTable) -> Bound? {
    let path = section.path(name)
    if let node = section.node(name), table.isUnquotedPlaceholder(node, path, in: section.decoding) {
      return nil
    }
    guard let text = section.text(name, expected: Schema.TextKind.day.rawValue) else { return nil }
    if let parameter = table.parameter(named: text, path, in: section.decoding) {
      guard let index = parameter else { return nil }
      if let declared = table.parameters[index], declared.kind != .date {
        section.fault(name, "{\(declared.name)} has the type \(declared.kind.rawValue); date is expected")
        return nil
      }
      return .parameter(index)
    }
    if let date = CivilDate(iso: Array(text.text.utf8)) { return .day(Int(date.unixSeconds / 86_400)) }
    section.fault(name, "\(text.shown); \(Schema.TextKind.day.rawValue) is expected")
    return nil
  }

  /// `+08:00`, `-03:30`, `Z`; in seconds.
  static func zone(_ section: Section) -> Int {
    guard let text = section.text("zone", expected: Schema.TextKind.zone.rawValue) else { return 0 }
    let bytes = Array(text.text.utf8)
    if bytes == Array("Z".utf8) { return 0 }
    let digits = bytes.map { Int($0) - 0x30 }
    let isZone =
      bytes.count == 6 && (bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"))
      && bytes[3] == UInt8(ascii: ":")
      && [1, 2, 4, 5].allSatisfy { (0...9).contains(digits[$0]) }
    guard isZone, digits[1] * 10 + digits[2] <= 14, digits[4] <= 5 else {
      section.fault("zone", "\(text.shown); \(Schema.TextKind.zone.rawValue) is expected")
      return 0
    }
    let minutes = (digits[1] * 10 + digits[2]) * 60 + digits[4] * 10 + digits[5]
    return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * minutes * 60
  }
}
