package import JSON

extension Configuration {
  /// Several lists and calls as one answer, which clients read at `/v1/screens/NAME`.
  package struct Screen: Sendable, Equatable {
    package let name: String
    package let title: String?
    package let description: String?
    /// In the order of the file.
    package let parameters: [Parameter]
    /// By when all sections are answered, or count as failed.
    package let timeout: Duration
    /// In the order of the file. None depends on itself, however indirectly.
    package let sections: [ScreenSection]

    package init(
      name: String, title: String?, description: String?, parameters: [Parameter], timeout: Duration,
      sections: [ScreenSection]
    ) {
      self.name = name
      self.title = title
      self.description = description
      self.parameters = parameters
      self.timeout = timeout
      self.sections = sections
    }

    package static let defaultTimeout = Duration.seconds(10)
  }

  /// One list or call of a screen.
  package struct ScreenSection: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
      /// An index into ``Configuration/offers``.
      case list(Int)
      /// An index into ``Configuration/calls``, of a call by GET.
      case call(Int)
    }

    /// What a parameter of the source gets.
    package enum Argument: Sendable, Equatable {
      /// Nothing: its default, if it has one.
      case none
      case value(ParameterValue)
      /// A text with parameters of the screen in it; nothing where one of them was not given.
      case text([Template.Piece])
      /// What stands in the body of another section's answer.
      case found(section: Int, pointer: Pointer)
    }

    package let name: String
    package let source: Source
    /// One a parameter of the source, in their order.
    package let arguments: [Argument]
    /// Items of a list; nil takes the list's own.
    package let limit: Int?
    /// Whether the screen fails where this section does.
    package let isRequired: Bool

    package init(
      name: String, source: Source, arguments: [Argument], limit: Int?, isRequired: Bool
    ) {
      self.name = name
      self.source = source
      self.arguments = arguments
      self.limit = limit
      self.isRequired = isRequired
    }

    /// The sections whose answers it needs.
    package var dependencies: Set<Int> {
      Set(arguments.compactMap { if case .found(let section, _) = $0 { section } else { nil } })
    }
  }
}
