internal import HTTPSemantics
internal import JSON
internal import JSON
internal import Paging

/// The places in a request that paging uses, gathered while its style is decoded, to be checked against the request.
final class PlacementTable {
  /// Which pages are asked for with a value at a place.
  enum Pages { case every, first, later }

  struct Entry {
    let placement: Placement
    let pages: Pages
    let path: String
    let mark: Mark
  }

  private(set) var entries: [Entry] = []
  let decoding: Decoding
  /// The upstream's path, encoded, without a slash at its end.
  let basePath: String

  init(decoding: Decoding, basePath: String) {
    self.decoding = decoding
    self.basePath = basePath
  }

  static var keys: [Schema.Key] {
    [
      Schema.Key("query", .text(.field), "The name of a query parameter to send it in."),
      Schema.Key("form", .text(.field), "The name of a form field to send it in."),
      Schema.Key("json", .text(.pointer), "The place in the JSON content to send it at, such as /page."),
      Schema.Key("header", .text(.field), "The name of a header field to send it in."),
      Schema.Key("path", .text(.pathTemplate), "The path to send it in, whole, with {} where it goes."),
    ]
  }
  private static var names: String { keys.map(\.name).joined(separator: ", ") }

  /// Reads where `section` sends something; nil where it does not say, or says it wrong.
  func decode(_ section: Section, isRequired: Bool, in pages: Pages = .every) -> Placement? {
    let given = Self.keys.map(\.name).filter { section.has($0) }
    guard let name = given.first else {
      if isRequired, section.isPresent {
        decoding.fault(section.mark, section.path, "where to send it is missing; give one of \(Self.names)")
      }
      return nil
    }
    guard given.count == 1 else {
      section.fault(given[1], "it is sent in one place, and \(name) is given already")
      return nil
    }
    guard let text = section.text(name, expected: "a text") else { return nil }
    guard let placement = placement(name, text, section) else { return nil }
    if let other = entries.first(where: { $0.placement == placement }) {
      section.fault(name, "\(other.path) goes to the same place")
      return nil
    }
    entries.append(
      Entry(placement: placement, pages: pages, path: section.path(name), mark: section.mark(name)))
    return placement
  }

  private func placement(_ name: String, _ text: ResolvedText, _ section: Section) -> Placement? {
    func fault(_ message: String, meant: String? = nil) -> Placement? {
      section.fault(name, "\(text.shown); \(message)\(suggestion(text.isOutside ? nil : meant))")
      return nil
    }
    switch name {
    case "query", "form":
      guard Grammar.isName(text.text, .field) else {
        return fault("\(Schema.NameKind.field.rawValue) is expected")
      }
      return name == "query" ? .query(text.text) : .form(text.text)
    case "header":
      guard let field = FieldName(validating: text.text) else {
        return fault("a header field's name is expected: \(Schema.NameKind.header.rawValue)")
      }
      return .header(field.text)
    case "json":
      guard let pointer = try? Pointer(text.text), !pointer.text.isEmpty else {
        return fault(
          "\(Schema.TextKind.pointer.rawValue) is expected", meant: Section.pointer(meantBy: text.text))
      }
      return .json(pointer)
    default:
      let pieces = text.text.split(separator: "{}", omittingEmptySubsequences: false)
      guard pieces.count == 2, text.text.hasPrefix("/") else {
        return fault("a path that begins with a slash and has {} in it once is expected")
      }
      if Placeholders.parts(of: text.text) != [.text(text.text)] {
        return fault("this path cannot hold parameters")
      }
      if let problem = PathCompiler.problem(with: text.text) { return fault(problem) }
      return .path(basePath + pieces.map { PathCompiler.encoded(String($0)) }.joined(separator: "{}"))
    }
  }
}
