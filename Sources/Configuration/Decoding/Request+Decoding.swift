internal import HTTPSemantics
internal import Paging

extension RequestTemplate {
  static var keys: [Schema.Key] {
    [
      Schema.Key("method", .words(Method.self), "Default: GET."),
      Schema.Key("path", .text(.pathTemplate), "Appended to the upstream's URL. Default: nothing."),
      Schema.Key(
        "query", .named(.field, fields), "Query parameters, in this order. A list of values repeats the name."
      ),
      Schema.Key(
        "form", .named(.field, fields),
        "Form fields of a POST, in this order. A list of values repeats the name."),
      Schema.Key(
        "json", .json,
        "The JSON content of a POST, any structure. {parameter} in a text is put in; a text that is nothing else takes "
          + "the parameter's type."),
      Schema.Key(
        "headers", .named(.header, .text(.template)), "Header fields, beside those of the upstream."),
    ]
  }
  private static var fields: Schema {
    Schema.either([.text(.template), .sequence(.text(.template), count: 0...100)])
  }

  /// Reads the `request` of a list, or another key's that holds the same.
  ///
  /// - Parameter entries: where paging sends its values.
  static func decode(
    _ section: Section, upstream: Configuration.Upstream?, table: ParameterTable,
    placements entries: [PlacementTable.Entry], basePath: String
  ) -> RequestTemplate? {
    let before = section.decoding.faults.count
    let method = section.word("method", Method.self) ?? .get
    let path = PathCompiler(table: table, section: section).compile(base: basePath)
    let query = fields("query", section, table, .query)
    let form = fields("form", section, table, .form)
    let places = entries.compactMap {
      if case .json(let pointer) = $0.placement { pointer } else { nil }
    }
    let json: JSONTemplate? =
      section.has("json") || !places.isEmpty
      ? JSONCompiler(table: table, decoding: section.decoding)
        .compile(section.node("json"), places: places, section.path("json"), at: section.mark) : nil
    let headers = HeaderFields.decode(section, table: table)
    Agreement(request: section, method: method, query: query, form: form, headers: headers).check(entries)
    section.end()
    guard section.decoding.faults.count == before, let path else { return nil }
    let content: Content =
      if let json {
        .json(json)
      } else if method == .post, section.has("form") || entries.contains(where: \.isForm) {
        .form(form)
      } else {
        .none
      }
    let inherited = (upstream?.headers ?? []).filter { field in !headers.contains { $0.name == field.name } }
    return RequestTemplate(
      method: method, path: path, query: query, content: content, headers: inherited + headers)
  }

  private static func fields(
    _ name: String, _ section: Section, _ table: ParameterTable, _ place: Template.Place
  ) -> [Field] {
    section.named(name).flatMap { entry -> [Field] in
      let values: [(ConfigurationNode, String)] =
        if case .sequence(let elements) = entry.node.content {
          elements.enumerated().map { ($1, "\(entry.path)[\($0)]") }
        } else {
          [(entry.node, entry.path)]
        }
      var encodedName: [UInt8] = []
      PercentEncoding.encode(
        entry.name.utf8Span.span, for: place == .form ? .form : .query, into: &encodedName)
      return values.compactMap { node, path in
        guard !table.isUnquotedPlaceholder(node, path, in: section.decoding),
          let text = section.decoding.resolve(node, path, expected: "a text"),
          let pieces = table.pieces(of: text, path, in: section.decoding)
        else { return nil }
        return Field(name: encodedName, value: Template(pieces, for: place))
      }
    }
  }
}

extension PlacementTable.Entry {
  var isForm: Bool { if case .form = placement { true } else { false } }
  var isJSON: Bool { if case .json = placement { true } else { false } }
}

/// What has to agree between a request's parts, its method and what paging adds.
private struct Agreement {
  let request: Section
  let method: RequestTemplate.Method
  let query: [RequestTemplate.Field]
  let form: [RequestTemplate.Field]
  let headers: [RequestTemplate.HeaderField]

  /// The section's own key: `request`.
  private var key: String { request.path.split(separator: ".").last.map { String($0) } ?? "" }

  func check(_ entries: [PlacementTable.Entry]) {
    if method == .get {
      for name in ["form", "json"] where request.has(name) {
        request.fault(name, "the method is GET, which has no content; write method: POST, or use query")
      }
    }
    if request.has("form"), request.has("json") {
      request.fault("json", "a request has a form or JSON, and a form is given already")
    }
    for entry in entries { check(entry, entries) }
  }

  private func check(_ entry: PlacementTable.Entry, _ entries: [PlacementTable.Entry]) {
    func fault(_ message: String) { request.decoding.fault(entry.mark, entry.path, message) }
    switch entry.placement {
    case .form(let name):
      if method == .get {
        fault("the request's method is GET, which has no form; write \(key).method: POST, or use query")
      } else if request.has("json") || entries.contains(where: \.isJSON) {
        fault("the request's content is JSON, which has no form fields; use json, such as /\(name)")
      } else if form.contains(where: { $0.name == PercentEncoding.encoded(name, for: .form) }) {
        fault("\(key).form has \(Quoted(name)) already; paging sends it, so remove it there")
      }
    case .json:
      if method == .get {
        fault(
          "the request's method is GET, which has no JSON content; write \(key).method: POST, or use query")
      } else if request.has("form") {
        fault("the request's content is a form, which has no JSON; use form")
      }
    case .query(let name):
      if query.contains(where: { $0.name == PercentEncoding.encoded(name, for: .query) }) {
        fault("\(key).query has \(Quoted(name)) already; paging sends it, so remove it there")
      }
    case .header(let name):
      if let field = FieldName(validating: name), headers.contains(where: { $0.name == field }) {
        fault("\(key).headers has \(Quoted(name)) already; paging sends it, so remove it there")
      }
    case .path:
      if request.has("path"), entry.pages != .later {
        fault("\(key).path is given already; paging sends the path, so remove it there")
      }
    }
  }
}

extension PercentEncoding {
  fileprivate static func encoded(_ text: String, for place: Place) -> [UInt8] {
    var bytes: [UInt8] = []
    encode(text.utf8Span.span, for: place, into: &bytes)
    return bytes
  }
}
