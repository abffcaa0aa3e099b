/// One thing that is wrong with a configuration file: where, what was found, and what is allowed.
package struct ConfigurationFault: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String
  package let mark: Mark
  /// Never shows a value that came from the environment or from a file.
  package let message: String

  package init(file: String, mark: Mark, message: String) {
    self.file = file
    self.mark = mark
    self.message = message
  }

  /// `FILE:LINE:COLUMN: error: …`, the form that editors and compilers share.
  package var description: String { "\(file):\(mark.line):\(mark.column): error: \(message)" }
}

/// Everything that is wrong with a configuration file, in the order of the file; never empty.
package struct ConfigurationFaults: Error, Sendable, Hashable, CustomStringConvertible {
  package let faults: [ConfigurationFault]

  package init(_ faults: [ConfigurationFault]) { self.faults = faults }

  /// One fault a line.
  package var description: String { faults.map(\.description).joined(separator: "\n") }
}
