internal import JSON
internal import Paging

extension Configuration.Enrichment {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "as", .text(.field), isRequired: true,
        "The name of what is added: {\"item\": …, NAME: …}, null where there is none."),
      Schema.Key(
        "by", .text(.pointer), isRequired: true, "From an item to the id of what it is completed with."),
      Schema.Key("upstream", .text(.upstream), "The upstream that has it. Default: the list's."),
      Schema.Key(
        "request", .mapping(RequestTemplate.keys), isRequired: true,
        "The request that fetches several by their ids. It may use the list's parameters."),
      Schema.Key("ids", .mapping(idsKeys), isRequired: true, "Where the ids are sent."),
      Schema.Key("items", .mapping(itemsKeys), isRequired: true, "Where the answer has them."),
      Schema.Key("batch", .integer(1...1_000), "Ids in one request at most. Default: \(defaultBatch)."),
      Schema.Key(
        "wait", .duration(.milliseconds(1) ... .seconds(600)),
        "How long it is waited for. Default: as long as its upstream may take."),
      Schema.Key(
        "required", .boolean,
        "Whether a slice fails that cannot be completed; else what is missing is null. Default: false."),
    ]
  }

  private static var idsKeys: [Schema.Key] {
    PlacementTable.keys + [
      Schema.Key("separator", .text(.field), "Between two ids in one text. Default: a comma."),
      Schema.Key(
        "repeated", .boolean, "Whether each is sent under the name by itself: ids=1&ids=2. Default: false."),
    ]
  }

  private static var itemsKeys: [Schema.Key] {
    [
      Schema.Key("at", .text(.pointer), "An array, or an object of them. Default: \"\", the whole answer."),
      Schema.Key(
        "id", .text(.pointer), isRequired: true,
        "From each to its id; or key, its name in an object."),
    ]
  }

  /// Reads the `enrich` of a list; nil where there is none, or it is faulty.
  ///
  /// - Parameter own: the list's upstream.
  static func decode(
    _ section: Section, own: Configuration.Upstream.Declared?, table: ParameterTable,
    upstreams: [Configuration.Upstream.Declared]
  ) -> Configuration.Enrichment? {
    guard section.isPresent else { return nil }
    let before = section.decoding.faults.count
    let declared = section.has("upstream") ? Configuration.List.upstream(section, upstreams) : own
    let name = section.field("as")
    if name == "item" { section.fault("as", "item is the item itself; choose another name") }
    let by = section.pointer("by")
    let ids = section.section("ids")
    let placements = PlacementTable(
      decoding: section.decoding, basePath: declared?.upstream?.url.path ?? "")
    let placement = placements.decode(ids, isRequired: true)
    let form = form(of: ids, at: placement)
    ids.end()
    let request = RequestTemplate.decode(
      section.section("request"), upstream: declared?.upstream, table: table, placements: placements.entries,
      basePath: placements.basePath)
    let items = section.section("items")
    let place = items.has("at") ? items.pointer("at") : try? Pointer("")
    let id = identity(items)
    items.end()
    let batch = section.integer("batch") ?? defaultBatch
    let wait = section.duration("wait")
    let isRequired = section.boolean("required") ?? false
    section.end()
    guard section.decoding.faults.count == before, let name, let by, let placement, let request, let place,
      let id, let upstream = declared?.upstream
    else { return nil }
    let position = upstreams.compactMap(\.upstream).firstIndex { $0.name == upstream.name } ?? 0
    return Configuration.Enrichment(
      name: name, by: by, upstream: position, request: request, placement: placement, form: form,
      place: place, id: id, refusal: declared?.refusal, batch: batch, wait: wait, isRequired: isRequired)
  }

  private static func form(of ids: Section, at placement: Placement?) -> Form {
    let separator = ids.field("separator")
    let isRepeated = ids.boolean("repeated") ?? false
    switch placement {
    case .json:
      for name in ["separator", "repeated"] where ids.has(name) {
        ids.fault(name, "in JSON the ids are an array; remove this")
      }
      return .array
    case .query, .form:
      if isRepeated {
        if ids.has("separator") {
          ids.fault("separator", "repeated ids have no separator; remove one of them")
        }
        return .repeated
      }
    case .header, .path:
      if isRepeated { ids.fault("repeated", "only query and form can repeat a name") }
    case nil: break
    }
    return .joined(separator: separator ?? ",")
  }

  private static func identity(_ items: Section) -> Identity? {
    if let node = items.node("id"), case .scalar(let scalar) = node.content, scalar.text == "key" {
      return .key
    }
    return items.pointer("id").map { .at($0) }
  }
}
