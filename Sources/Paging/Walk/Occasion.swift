/// What a walk may depend on beside its plan: told by the caller, since the machine has no clock.
package struct Occasion: Sendable, Hashable {
  /// Unix seconds.
  package let now: Int
  /// The values of the list's parameters, as text; nil for those that were not given.
  package let arguments: [[UInt8]?]

  package init(now: Int, arguments: [[UInt8]?]) {
    self.now = now
    self.arguments = arguments
  }
}
