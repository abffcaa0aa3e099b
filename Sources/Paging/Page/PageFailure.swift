/// A page that could not be had, as the walk needs to know it.
package struct PageFailure: Error, Sendable, Hashable {
  /// The status of the upstream's answer; nil when no answer came.
  package let status: Int?
  /// The envelope's error code, such as `upstream_timeout`.
  package let code: String
  /// What the upstream's own code means, where its answer was a refusal.
  package let meaning: Refusal.Meaning?

  package init(status: Int?, code: String, meaning: Refusal.Meaning?) {
    self.status = status
    self.code = code
    self.meaning = meaning
  }
}
