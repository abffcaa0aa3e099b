/// Where a configuration takes what does not stand in the file itself: `${NAME}` and `file:/path`.
package struct ConfigurationSources {
  /// The value of an environment variable, or nil.
  package let environment: (String) -> String?
  /// The content of the file at an absolute path.
  package let file: (String) -> FileContent

  package enum FileContent: Sendable, Equatable {
    case content([UInt8])
    /// Why not, in the words of the system: `No such file or directory`.
    case unreadable(String)
  }

  package init(environment: @escaping (String) -> String?, file: @escaping (String) -> FileContent) {
    self.environment = environment
    self.file = file
  }
}
