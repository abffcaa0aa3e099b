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

  /// Appends the path, which begins with a slash.
  ///
  /// - Throws: ``TemplateFailure`` when a value cannot be one segment.
  package func append(_ arguments: Arguments, into output: inout [UInt8]) throws(TemplateFailure) {
    for part in parts {
      switch part {
      case .literal(let bytes): output.append(contentsOf: bytes)
      case .segment(let template): try template.append(arguments, into: &output)
      }
    }
  }
}

/// Literal parts may hold secrets, and are not shown.
extension PathTemplate: CustomStringConvertible, CustomReflectable {
  package var description: String { "(template of \(parts.count) parts)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
