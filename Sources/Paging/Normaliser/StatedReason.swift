/// Why an upstream refuses, in its own words, where its HTTP status says that it does.
package struct StatedReason: Sendable, Hashable {
  /// Its own code; nil where it gives none beside the status.
  package let code: String?
  package let message: String?
  /// What the configuration takes code or status for; nil where it says nothing of them.
  package let meaning: Refusal.Meaning?

  package init(code: String?, message: String?, meaning: Refusal.Meaning?) {
    self.code = code
    self.message = message
    self.meaning = meaning
  }
}
