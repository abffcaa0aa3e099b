package import JSON

/// Where an answer says something.
package enum Locator: Sendable, Hashable {
  /// At this place in the body.
  case body(Pointer)
  /// In the first element of `array` whose member `member` is the text `value`, at `rest` within that element:
  /// `/link[relation=next]/url`.
  case selected(array: Pointer, member: String, value: String, rest: Pointer)
  /// In a header field of this name.
  case header(String)
  /// The target of this relation of the `Link` header field (RFC 8288).
  case link(String)
  /// At this place within the page's last item.
  case lastItem(Pointer)
}

extension Locator {
  /// Why a text is no locator.
  package struct Failure: Error, Sendable, Hashable {
    /// Of the first byte of the text that cannot be; the text's length when something is missing.
    package let offset: Int
    package let message: String
  }

  /// Reads the text form: `/a/b` or `""`, `/a[member=value]/b`, `header:NAME`, `link:REL`, `item:/a/b`.
  package init(_ text: String) throws(Failure) {
    if let name = text.dropping(prefix: "header:") {
      self = .header(try Self.present(name, "the name of a header field"))
    } else if let relation = text.dropping(prefix: "link:") {
      self = .link(try Self.present(relation, "a link relation"))
    } else if text.hasPrefix("item:") {
      self = .lastItem(try Self.pointer(text[text.index(text.startIndex, offsetBy: 5)...]))
    } else if let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") {
      let test = text[text.index(after: open)..<close]
      guard let equals = test.firstIndex(of: "=") else {
        throw Failure(
          offset: text.utf8.distance(from: text.startIndex, to: open) + 1, message: "member=value is missing")
      }
      self = .selected(
        array: try Self.pointer(text[..<open]), member: String(test[..<equals]),
        value: String(test[test.index(after: equals)...]),
        rest: try Self.pointer(text[text.index(after: close)...]))
    } else {
      self = .body(try Self.pointer(text[...]))
    }
  }

  /// The text form, which ``init(_:)`` reads.
  package var text: String {
    switch self {
    case .body(let pointer): pointer.text
    case .selected(let array, let member, let value, let rest):
      "\(array.text)[\(member)=\(value)]\(rest.text)"
    case .header(let name): "header:\(name)"
    case .link(let relation): "link:\(relation)"
    case .lastItem(let pointer): "item:\(pointer.text)"
    }
  }

  private static func present(_ name: String, _ what: String) throws(Failure) -> String {
    if name.isEmpty { throw Failure(offset: 0, message: "\(what) is missing") }
    return name
  }

  /// Reads a part of a text; offsets of failures count from the text's start.
  private static func pointer(_ part: Substring) throws(Failure) -> Pointer {
    do {
      return try Pointer(String(part))
    } catch {
      let start = part.base.utf8.distance(from: part.base.startIndex, to: part.startIndex)
      throw Failure(offset: start + error.offset, message: error.message)
    }
  }
}

extension String {
  /// What follows `prefix`, or nil when the text does not start with it.
  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
