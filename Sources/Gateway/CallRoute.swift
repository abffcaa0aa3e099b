import Configuration

/// One call as one loop serves it.
final class CallRoute {
  let configuration: Configuration.Call
  let source: CallSource
  let figures: CallFigures

  init(configuration: Configuration.Call, source: CallSource, figures: CallFigures) {
    self.configuration = configuration
    self.source = source
    self.figures = figures
  }
}
