/// A value that an answer is compared with: by its text, or as a number where both are numbers, so that `0`, `"0"`
/// and `0.0` are one, and `true` and `"true"` are.
package enum Scalar: Sendable, Hashable {
  case null
  /// A string's content, a number's spelling, `true` or `false`.
  case text(String)
}
