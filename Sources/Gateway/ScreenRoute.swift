import Configuration

/// One screen as one loop serves it.
final class ScreenRoute {
  enum Source {
    case list(ServedList)
    case call(CallRoute)

    var parameters: [Parameter] {
      switch self {
      case .list(let list): list.parameters
      case .call(let call): call.configuration.parameters
      }
    }
  }

  let configuration: Configuration.Screen
  /// One a section, in their order.
  let sources: [Source]
  let figures: ScreenFigures

  init(configuration: Configuration.Screen, lists: [ServedList], calls: [CallRoute], figures: ScreenFigures) {
    self.configuration = configuration
    self.figures = figures
    sources = configuration.sections.map { section in
      switch section.source {
      case .list(let index): .list(lists[index])
      case .call(let index): .call(calls[index])
      }
    }
  }
}
