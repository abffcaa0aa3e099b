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
  /// Reads the text form: `/a/b` or `""`, `/a[member=value]/b`, `header:NAME`, `link:REL`, `item:/a/b`.
  ///
  /// - Throws: ``Pointer/Failure`` when the text is none of them.
  package init(_ text: String) throws(Pointer.Failure) {
    if let name = text.dropping(prefix: "header:") {
      guard !name.isEmpty else { throw Pointer.Failure() }
      self = .header(name)
    } else if let relation = text.dropping(prefix: "link:") {
      guard !relation.isEmpty else { throw Pointer.Failure() }
      self = .link(relation)
    } else if let pointer = text.dropping(prefix: "item:") {
      self = .lastItem(try Pointer(pointer))
    } else if let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") {
      let test = text[text.index(after: open)..<close]
      guard let equals = test.firstIndex(of: "=") else { throw Pointer.Failure() }
      self = .selected(
        array: try Pointer(String(text[..<open])), member: String(test[..<equals]),
        value: String(test[test.index(after: equals)...]),
        rest: try Pointer(String(text[text.index(after: close)...])))
    } else {
      self = .body(try Pointer(text))
    }
  }
}

extension String {
  /// What follows `prefix`, or nil when the text does not start with it.
  fileprivate func dropping(prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
