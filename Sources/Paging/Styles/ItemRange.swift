/// Pages by a `Range` header field in a unit of items; `Content-Range` gives the total.
package struct ItemRange: Sendable, Hashable {
  /// The request field: usually `Range`.
  package let field: String
  /// The unit before the `=`, such as `items`; empty when the field holds the bare range.
  package let unit: String
  /// Items to a page, 1 or more.
  package let size: Int
  package let ending: Ending

  package init(field: String, unit: String, size: Int, ending: Ending) {
    self.field = field
    self.unit = unit
    self.size = size
    self.ending = ending
  }
}
