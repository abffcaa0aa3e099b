package import Configuration
package import HTTPSemantics
import JSON
package import Paging

/// What goes over the wire for one page, apart from how and by when.
package struct RenderedRequest {
  package var method: Method
  /// Absolute.
  package var url: [UInt8]
  package var fields: Fields
  package var content: [UInt8]?
  /// Where the path begins in ``url``.
  var pathStart: Int
  /// Whether ``content`` is JSON rather than a form.
  var isJSON: Bool

  /// Path and query, which a relative next URL starts from.
  package var target: [UInt8] { Array(url[pathStart...]) }

  /// As recognition sees it.
  func seen(by parser: Parser) -> SentRequest {
    SentRequest(
      target: target, form: isJSON ? nil : content,
      json: isJSON ? content.flatMap { try? parser.parse(Bytes(copying: $0)) } : nil)
  }
}

/// Puts a list's request, the client's arguments and what paging asks for together.
package struct RequestRenderer {
  private let template: RequestTemplate
  private let origin: [UInt8]
  private let method: Method
  /// Whether the template has the first page's number, offset or token, because the paging was to be recognised.
  private let holdsPaging: Bool

  package init(template: RequestTemplate, url: BaseURL, holdsPaging: Bool) {
    self.holdsPaging = holdsPaging
    self.template = template
    origin = Array(url.origin.utf8)
    method = template.method == .post ? .post : .get
  }

  /// - Throws: ``TemplateFailure`` when an argument cannot stand where the template has it.
  package func render(_ page: PageRequest, with arguments: Arguments) throws(TemplateFailure)
    -> RenderedRequest
  {
    var url: [UInt8] = []
    url.reserveCapacity(256)
    url += origin
    if let target = page.target {
      url += target
      try putBackAbsentQuery(of: target, page, arguments, into: &url)
    } else {
      try appendPath(page, arguments, into: &url)
      var separator = UInt8(ascii: "?")
      if !page.goesAlone { try appendQuery(template.query, page, arguments, &separator, into: &url) }
      appendParts(of: page, in: .query, &separator, into: &url)
    }
    var fields = Fields()
    for header in template.headers where header.value.isComplete(with: arguments) {
      if page.places(header.name) { continue }
      var value: [UInt8] = []
      try header.value.append(arguments, into: &value)
      fields.append(header.name, value)
    }
    for part in page.parts {
      guard case .header(let name) = part.placement, let name = FieldName(validating: name) else { continue }
      fields.append(name, part.value.plain)
    }
    let content = try content(page, arguments, into: &fields)
    return RenderedRequest(
      method: page.isPlainGet ? .get : method, url: url, fields: fields, content: content,
      pathStart: origin.count,
      isJSON: isJSON)
  }

  private var isJSON: Bool { if case .json = template.content { true } else { false } }

  // MARK: Path and query

  private func appendPath(
    _ page: PageRequest, _ arguments: Arguments, into url: inout [UInt8]
  ) throws(TemplateFailure) {
    for part in page.parts {
      guard case .path(let pattern) = part.placement else { continue }
      let pieces = pattern.utf8.split(
        separator: UInt8(ascii: "{"), maxSplits: 1, omittingEmptySubsequences: false)
      url += pieces[0]
      if pieces.count == 2 {
        PercentEncoding.encode(part.value.plain.span, for: .segment, into: &url)
        url += pieces[1].dropFirst()
      }
      return
    }
    try template.path.append(arguments, into: &url)
  }

  /// The list's own fields, those left out that paging gives a value to.
  private func appendQuery(
    _ query: [RequestTemplate.Field], _ page: PageRequest, _ arguments: Arguments, _ separator: inout UInt8,
    into output: inout [UInt8]
  ) throws(TemplateFailure) {
    for field in query where field.value.isComplete(with: arguments) && !page.places(query: field.name) {
      output.append(separator)
      separator = UInt8(ascii: "&")
      output += field.name
      output.append(UInt8(ascii: "="))
      try field.value.append(arguments, into: &output)
    }
  }

  private func appendParts(
    of page: PageRequest, in place: PercentEncoding.Place, _ separator: inout UInt8,
    into output: inout [UInt8]
  ) {
    for part in page.parts {
      let name: String
      switch (part.placement, place) {
      case (.query(let query), .query): name = query
      case (.form(let form), .form): name = form
      default: continue
      }
      if separator != 0 { output.append(separator) }
      separator = UInt8(ascii: "&")
      PercentEncoding.encode(name, for: place, into: &output)
      output.append(UInt8(ascii: "="))
      part.value.append(for: place, into: &output)
    }
  }

  /// A next URL that has lost a parameter of the list (a filter, a key) or the page size gets it back.
  private func putBackAbsentQuery(
    of target: [UInt8], _ page: PageRequest, _ arguments: Arguments, into url: inout [UInt8]
  ) throws(TemplateFailure) {
    let question = target.firstIndex(of: UInt8(ascii: "?"))
    let present = question.map { target[($0 + 1)...].split(separator: UInt8(ascii: "&")) } ?? []
    var separator = question == nil ? UInt8(ascii: "?") : UInt8(ascii: "&")
    func isPresent(_ name: [UInt8]) -> Bool {
      present.contains { pair in pair.prefix { $0 != UInt8(ascii: "=") }.elementsEqual(name) }
    }
    for field in template.query
    where field.value.isComplete(with: arguments) && !isPresent(field.name) {
      // Of what led to the first page the next URL has what leads on.
      if holdsPaging, SentRequest.marksPlace(field.name) { continue }
      url.append(separator)
      separator = UInt8(ascii: "&")
      url += field.name
      url.append(UInt8(ascii: "="))
      try field.value.append(arguments, into: &url)
    }
    var absent = page
    absent.parts.removeAll { part in
      guard case .query(let name) = part.placement else { return false }
      return isPresent(Array(PercentEncoding.encode(name, for: .query).utf8))
    }
    appendParts(of: absent, in: .query, &separator, into: &url)
  }

  // MARK: Content

  private func content(
    _ page: PageRequest, _ arguments: Arguments, into fields: inout Fields
  ) throws(TemplateFailure) -> [UInt8]? {
    if page.isPlainGet { return nil }
    var content: [UInt8] = []
    switch template.content {
    case .none:
      guard method == .post else { return nil }
    case .form(let form):
      fields.append(.contentType, "application/x-www-form-urlencoded")
      for field in form where field.value.isComplete(with: arguments) && !page.places(form: field.name) {
        if !content.isEmpty { content.append(UInt8(ascii: "&")) }
        content += field.name
        content.append(UInt8(ascii: "="))
        try field.value.append(arguments, into: &content)
      }
      var separator: UInt8 = content.isEmpty ? 0 : UInt8(ascii: "&")
      appendParts(of: page, in: .form, &separator, into: &content)
    case .json(let json):
      fields.append(.contentType, "application/json")
      let placed = json.places.map { place -> [UInt8]? in
        page.parts.first { $0.placement == .json(place) }?.value.json
      }
      try json.append(arguments, placed: placed, into: &content)
      for part in page.parts {
        guard case .json(let place) = part.placement, !json.places.contains(place) else { continue }
        content = JSONPlacing.placing(part.value.json, at: place, in: content)
      }
    }
    return content
  }
}

extension PageRequest {
  fileprivate func places(_ field: FieldName) -> Bool {
    parts.contains { part in
      guard case .header(let name) = part.placement else { return false }
      return FieldName(validating: name) == field
    }
  }

  fileprivate func places(query name: [UInt8]) -> Bool {
    parts.contains { part in
      guard case .query(let query) = part.placement else { return false }
      return query.utf8.elementsEqual(name)
        || name.contains(UInt8(ascii: "%"))
          && PercentEncoding.encode(query, for: .query).utf8.elementsEqual(name)
    }
  }

  fileprivate func places(form name: [UInt8]) -> Bool {
    parts.contains { part in
      guard case .form(let form) = part.placement else { return false }
      return form.utf8.elementsEqual(name)
        || name.contains(UInt8(ascii: "%"))
          && PercentEncoding.encode(form, for: .form).utf8.elementsEqual(name)
    }
  }
}

extension PageRequest.Value {
  /// As it is written outside of JSON, before encoding.
  fileprivate var plain: [UInt8] {
    switch self {
    case .number(let number): Array(String(number).utf8)
    case .text(let text), .json(let text): text
    }
  }

  fileprivate func append(for place: PercentEncoding.Place, into output: inout [UInt8]) {
    switch self {
    case .number(let number): output += String(number).utf8
    case .text(let text), .json(let text): PercentEncoding.encode(text.span, for: place, into: &output)
    }
  }

  /// As a JSON value.
  fileprivate var json: [UInt8] {
    switch self {
    case .number(let number): return Array(String(number).utf8)
    case .json(let text): return text
    case .text(let text):
      var writer = Writer(reserving: text.count + 2)
      writer.string(repairing: text)
      return writer.finish()
    }
  }
}
