import Access
import Configuration

/// A list that clients read at `/v1/lists/NAME`, wherever it comes from, as one loop serves it.
class ServedList {
  enum Kind {
    case plain(ListRoute)
    case merged(MergedRoute)
  }

  let name: String
  let parameters: [Parameter]
  let prefetchThreshold: Double
  let figures: ListFigures
  /// Who may read it.
  let access: Requirement
  /// What every cursor of the list is bound to, before the arguments.
  private let bindingPrefix: [UInt8]

  init(_ offer: some Configuration.ListOffer, figures: ListFigures) {
    name = offer.name
    parameters = offer.parameters
    prefetchThreshold = offer.prefetch.threshold
    self.figures = figures
    access = offer.access
    bindingPrefix = Self.bindingPrefix(of: offer)
  }

  static func bindingPrefix(of list: some Configuration.ListOffer) -> [UInt8] {
    Array(list.name.utf8) + [0] + list.fingerprint
  }

  /// What there is to know of it beside what all lists have.
  var kind: Kind { preconditionFailure("a list of no kind") }

  /// The upstream that all of it comes from; nil where there are several.
  var upstreamName: String? { nil }

  /// Whether its answers depend on nothing of the client's but the target, and start nothing that fetches ahead.
  var mayBeRemembered: Bool { false }

  /// What of its upstream is not to be shown.
  func secrets(for request: Request) -> [[UInt8]] { [] }

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
