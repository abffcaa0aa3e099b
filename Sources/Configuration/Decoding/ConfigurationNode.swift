/// A place in a configuration file. Lines and columns count from 1; columns count characters.
package struct Mark: Sendable, Hashable, Comparable {
  package let line: Int
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (left: Mark, right: Mark) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// A piece of a configuration file as it was written, before anything is decoded.
package struct ConfigurationNode: Sendable, Equatable {
  package indirect enum Content: Sendable, Equatable {
    case scalar(Scalar)
    case sequence([ConfigurationNode])
    /// In the order of the file; no key occurs twice.
    case mapping([Member])
  }

  package struct Scalar: Sendable, Equatable {
    /// The text, quotation marks and escapes resolved.
    package let text: String
    /// Written without quotation marks: it may be a number, `true`, `false` or `null`.
    package let isPlain: Bool

    package init(text: String, isPlain: Bool) {
      self.text = text
      self.isPlain = isPlain
    }

    /// What YAML 1.2 reads as nothing: an empty plain scalar, `~` or `null`.
    package var isNull: Bool { isPlain && (text.isEmpty || text == "~" || text == "null") }
  }

  package struct Member: Sendable, Equatable {
    package let key: String
    package let mark: Mark
    package let value: ConfigurationNode

    package init(key: String, mark: Mark, value: ConfigurationNode) {
      self.key = key
      self.mark = mark
      self.value = value
    }
  }

  package let content: Content
  package let mark: Mark

  package init(_ content: Content, at mark: Mark) {
    self.content = content
    self.mark = mark
  }

  package subscript(key: String) -> ConfigurationNode? {
    guard case .mapping(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }
}
