import Configuration
import Paging

/// One list of one upstream as one loop serves it: its configuration, compiled, with what is needed to fetch its pages.
final class ListRoute: ServedList {
  let configuration: Configuration.List
  let source: PageSource
  /// What completes its items; nil where nothing does.
  let enricher: Enricher?

  init(
    configuration: Configuration.List, source: PageSource, figures: ListFigures, enricher: Enricher?
  ) {
    self.configuration = configuration
    self.source = source
    self.enricher = enricher
    super.init(configuration, figures: figures)
  }

  override var kind: Kind { .plain(self) }
  override var upstreamName: String? { source.upstreamName }
  override var mayBeRemembered: Bool {
    configuration.prefetch.pages == 0 && !configuration.parameters.contains { $0.claim != nil }
  }
  override func secrets(for request: Request) -> [[UInt8]] { source.secrets(for: request) }

  /// What a walk may depend on beside its plan; nil where it does not.
  func occasion(_ arguments: Arguments, now: Int64) -> Occasion? {
    guard configuration.plan.needsOccasion else { return nil }
    return Occasion(unixSeconds: Int(now), arguments: arguments.values.map { $0?.text })
  }
}
