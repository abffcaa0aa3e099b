import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging

/// One list as one loop serves it: its configuration, compiled, with what is needed to fetch its pages.
final class ListRoute {
  let configuration: Configuration.List
  let source: PageSource
  let figures: ListFigures
  /// What completes its items; nil where nothing does.
  let enricher: Enricher?
  /// What every cursor of the list is bound to, before the arguments.
  private let bindingPrefix: [UInt8]

  init(
    configuration: Configuration.List, source: PageSource, figures: ListFigures, enricher: Enricher?
  ) {
    self.configuration = configuration
    self.source = source
    self.figures = figures
    self.enricher = enricher
    bindingPrefix = Self.bindingPrefix(of: configuration)
  }

  static func bindingPrefix(of list: Configuration.List) -> [UInt8] {
    Array(list.name.utf8) + [0] + list.fingerprint
  }

  /// What a walk may depend on beside its plan; nil where it does not.
  func occasion(_ arguments: Arguments, now: Int64) -> Occasion? {
    guard configuration.plan.needsOccasion else { return nil }
    return Occasion(unixSeconds: Int(now), arguments: arguments.values.map { $0?.text })
  }

  /// What a cursor belongs to: the list, its paging configuration, and these arguments.
  ///
  /// - Parameter scope: of the client, which is part of it.
  func binding(of arguments: Arguments, _ scope: [UInt8]) -> [UInt8] {
    var binding = bindingPrefix
    arguments.appendKey(to: &binding)
    // At the end, where it needs no length.
    return binding + scope
  }
}
