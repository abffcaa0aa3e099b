/// A request's path, compiled: the upstream's base path and the list's own, percent-encoded.
package struct PathTemplate: Sendable, Equatable {
  enum Part: Sendable, Equatable {
    /// Whole text with its slashes, percent-encoded.
    case literal([UInt8])
    /// One whole segment that holds a parameter.
    case segment(Template)
  }

  let parts: [Part]

  /// - Parameter parts: begin with a literal that begins with a slash.
  init(_ parts: [Part]) { self.parts = parts }

  /// A path without parameters.
  package init(literal: String) { parts = [.literal(Array(literal.utf8))] }
}
