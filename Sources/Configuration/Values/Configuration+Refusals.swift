package import Paging

extension Configuration {
  /// The rules by which answers of an upstream are judged, each once.
  ///
  /// - Parameter upstream: an index into ``upstreams``.
  package func refusals(at upstream: Int) -> [Refusal] {
    let ofLists = lists.filter { $0.upstream == upstream }
      .map { $0.recognition?.declared.refusal ?? $0.plan.refusal }
    return ([upstreams[upstream].refusal] + ofLists).compactMap(\.self).reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }
}
