/// What a walk may depend on beside its plan: told by the caller, since the machine has no clock.
package struct Occasion: Sendable, Hashable {
  /// The time, in seconds since 1970.
  package let unixSeconds: Int
  /// The values of the list's parameters, as text; nil for those that were not given.
  package let arguments: [[UInt8]?]

  package init(unixSeconds: Int, arguments: [[UInt8]?]) {
    self.unixSeconds = unixSeconds
    self.arguments = arguments
  }
}
