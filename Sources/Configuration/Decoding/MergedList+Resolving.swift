internal import Access
internal import JSON
internal import Paging

/// Makes merged lists of their declarations: looks up the sources, through other merged lists down to lists of upstreams.
struct MergeResolver {
  let declared: [MergedDeclaration]
  let lists: [Configuration.List]
  let upstreams: [Configuration.Upstream]
  /// All names in the file, those of lists with faults included.
  let names: [String]
  let decoding: Decoding

  /// Leaves of one merged list, and merged lists within one another.
  private static let mostLeaves = 64
  private static let mostDepth = 8

  /// What is read of the items of a source, and what it is called, on the way down to it.
  private struct Way {
    var marks: [MarkReading] = []
    var tags: [String] = []
    var wait: Duration?
    /// The merged lists that it leads through.
    var names: [String] = []
  }

  private struct Draft {
    var nodes: [MergePlan.Node?] = []
    var leaves: [(list: Int, way: Way)] = []
    var isFaulty = false
  }

  func resolve() -> [Configuration.MergedList] {
    let before = decoding.faults.count
    for declaration in declared { check(declaration) }
    guard decoding.faults.count == before else { return [] }
    return declared.compactMap { resolve($0) }
  }

  /// Whether the sources are there, and what their walks allow.
  private func check(_ declaration: MergedDeclaration) {
    for source in declaration.sources {
      guard names.contains(source.name) else {
        let nearest = Nearest.word(to: source.name, of: names)
        decoding.fault(
          source.mark, source.path,
          "\(Quoted(source.name)) is given, which is no list; declared: \(names.joined(separator: ", "))\(suggestion(nearest))"
        )
        continue
      }
      guard let list = lists.first(where: { $0.name == source.name }), let obstacle = obstacle(list) else {
        continue
      }
      decoding.fault(source.mark, source.path, "\(Quoted(source.name)) \(obstacle)")
    }
  }

  /// Why a list cannot be a source; nil where it can.
  private func obstacle(_ list: Configuration.List) -> String? {
    if list.plan.servesOnce { return "gives each page once; what is not shown of it at once would be lost" }
    if list.parameters.contains(where: { $0.claim != nil }) {
      return "takes a parameter from the client's token, which is not done for merged lists"
    }
    if upstreams[list.upstream].session?.each != nil {
      return "is read with each client's own session, which is not done for merged lists"
    }
    return nil
  }

  private func resolve(_ declaration: MergedDeclaration) -> Configuration.MergedList? {
    var draft = Draft()
    descend(into: declaration, Way(), &draft, from: declaration)
    if let other = draft.leaves.first(where: { lists[$0.list].access != lists[draft.leaves[0].list].access })
    {
      fault(
        "\(lists[draft.leaves[0].list].name) and \(lists[other.list].name) are for different readers; access has to be the "
          + "same for all that is merged", declaration, &draft)
    }
    guard !draft.isFaulty, let parameters = parameters(of: draft, for: declaration) else { return nil }
    let nodes = draft.nodes.compactMap { $0 }
    return Configuration.MergedList(
      name: declaration.name, title: declaration.title, description: declaration.description,
      strategy: declaration.word, sources: declaration.sources.map(\.name), parameters: parameters,
      plan: MergePlan(nodes: nodes, leaves: draft.leaves.map { lists[$0.list].name }),
      leaves: draft.leaves.map { list, way in
        Configuration.MergedList.Leaf(
          list: list,
          arguments: lists[list].parameters.map { parameter in
            parameters.firstIndex { $0.name == parameter.name } ?? 0
          }, marks: way.marks, tags: way.tags, wait: way.wait)
      },
      access: draft.leaves.first.map { lists[$0.list].access } ?? .nobodyInParticular,
      prefetch: declaration.prefetch, limit: declaration.limit, maxLimit: declaration.maxLimit,
      fingerprint: fingerprint(of: declaration))
  }

  // MARK: The tree

  /// - Returns: the node's index.
  @discardableResult
  private func descend(
    into declaration: MergedDeclaration, _ way: Way, _ draft: inout Draft, from root: MergedDeclaration
  ) -> Int {
    let index = draft.nodes.count
    draft.nodes.append(nil)
    if way.names.contains(declaration.name) || way.names.count >= Self.mostDepth {
      let loop = (way.names + [declaration.name]).joined(separator: ", ")
      fault(
        way.names.contains(declaration.name)
          ? "it is made of itself: \(loop)"
          : "more than \(Self.mostDepth) merged lists within one another: \(loop)",
        root, &draft)
      return index
    }
    var inputs: [MergePlan.Input] = []
    for source in declaration.sources {
      if draft.isFaulty { break }
      let way = extended(way, through: declaration, to: source.name)
      if let list = lists.firstIndex(where: { $0.name == source.name }) {
        draft.leaves.append((list, way))
        inputs.append(.leaf(draft.leaves.count - 1))
        if draft.leaves.count > Self.mostLeaves {
          fault("it is made of more than \(Self.mostLeaves) lists", root, &draft)
        }
      } else if let inner = declared.first(where: { $0.name == source.name }) {
        inputs.append(.node(descend(into: inner, way, &draft, from: root)))
      } else {
        // A list with faults of its own, which have been told.
        draft.isFaulty = true
      }
    }
    guard inputs.count == declaration.sources.count, !inputs.isEmpty else { return index }
    draft.nodes[index] = MergePlan.Node(
      declaration.strategy, of: inputs, names: declaration.sources.map(\.name),
      requiresAll: declaration.requiresAll, isUnique: declaration.unique != nil)
    return index
  }

  private func extended(_ way: Way, through declaration: MergedDeclaration, to source: String) -> Way {
    var way = way
    way.names.append(declaration.name)
    way.marks.append(
      MarkReading(
        order: declaration.order.isEmpty ? nil : SortOrder(declaration.order.map(\.part)),
        keys: declaration.order.compactMap { $0.by.pointer(of: source) },
        id: declaration.unique?.pointer(of: source)))
    if declaration.isTagged { way.tags.append(source) }
    if let wait = declaration.wait { way.wait = min(wait, way.wait ?? wait) }
    return way
  }

  private func fault(_ message: String, _ declaration: MergedDeclaration, _ draft: inout Draft) {
    draft.isFaulty = true
    decoding.fault(declaration.mark, declaration.path, message)
  }

  // MARK: Parameters

  /// Those of all lists below, by name: one name is one parameter, which has to be the same wherever it is.
  private func parameters(of draft: Draft, for declaration: MergedDeclaration) -> [Parameter]? {
    var parameters: [Parameter] = []
    for leaf in draft.leaves {
      for parameter in lists[leaf.list].parameters {
        guard let index = parameters.firstIndex(where: { $0.name == parameter.name }) else {
          parameters.append(parameter)
          continue
        }
        guard let joined = parameters[index].joined(parameter) else {
          let others = draft.leaves.map { lists[$0.list] }.first { list in
            list.parameters.contains { $0.name == parameter.name }
          }
          decoding.fault(
            declaration.mark, declaration.path,
            "the parameter \(parameter.name) is one thing in \(others?.name ?? "") and another in "
              + "\(lists[leaf.list].name); one value has to do for both")
          return nil
        }
        parameters[index] = joined
      }
    }
    return parameters
  }

  // MARK: Fingerprints

  private func fingerprint(of declaration: MergedDeclaration) -> [UInt8] {
    var bytes = Fingerprint.bytes(ofMerged: declaration.node)
    for source in declaration.sources {
      let inner =
        lists.first { $0.name == source.name }?.fingerprint
        ?? declared.first { $0.name == source.name }.map { fingerprint(of: $0) } ?? []
      bytes += "\(inner.count):".utf8
      bytes += inner
    }
    return bytes
  }
}

extension Parameter {
  /// The parameter that is good for this one and another of the same name: required where one of them is.
  ///
  /// - Returns: nil where a value for the one need not be one for the other, or where both would be something else when it is
  ///   absent.
  fileprivate func joined(_ other: Parameter) -> Parameter? {
    guard kind == other.kind, allowed == other.allowed, minimum == other.minimum, maximum == other.maximum,
      minLength == other.minLength, maxLength == other.maxLength
    else { return nil }
    let isRequired = isRequired || other.isRequired
    guard isRequired || defaultValue == other.defaultValue else { return nil }
    return Parameter(
      name: name, kind: kind, isRequired: isRequired, defaultValue: isRequired ? nil : defaultValue,
      allowed: allowed,
      minimum: minimum, maximum: maximum, minLength: minLength, maxLength: maxLength,
      description: description ?? other.description)
  }
}
