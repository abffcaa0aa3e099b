/// Why an answer is no page.
package enum PageFault: Error, Sendable, Hashable {
  /// Valid JSON, but not what the configuration says; tells which place and what was found there.
  case shape(String)
  /// The upstream's own business failure, with its code and message where it gives them.
  case refused(code: String?, message: String?, meaning: Refusal.Meaning)
  /// What no upstream should send: a next URL that leads elsewhere, a token of a megabyte.
  case fault(String)
}
