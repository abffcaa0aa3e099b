// Which item comes next, and what showing it means to the lists that it comes through.

extension Merge {
  /// The next item of a part of the tree.
  enum Head {
    /// It is the next one of this leaf.
    case item(Int)
    /// There is none.
    case ended
    /// It cannot be told before ``Merge/needs`` are met.
    case unknown
    /// There may be some, but not in this slice.
    case out
  }

  private mutating func head(of input: MergePlan.Input, depth: Int) -> Head {
    switch input {
    case .node(let node): return head(ofNode: node, depth: depth)
    case .leaf(let index):
      if leaves[index].isOut { return .out }
      if leaves[index].leg != nil { return .item(index) }
      if position.leaves[index].place == .end { return .ended }
      needs.append(index)
      return .unknown
    }
  }

  /// The next item of a node that has not been shown, as far as the node remembers.
  ///
  /// - Parameter depth: of the node, 0 for the root.
  mutating func head(ofNode node: Int, depth: Int) -> Head {
    let needed = needs.count
    while true {
      let head =
        switch plan.nodes[node].strategy {
        case .merge: least(of: node, depth: depth)
        case .concat: first(of: node, depth: depth)
        case .interleave: inTurn(of: node, depth: depth)
        }
      if case .out = head { needs.removeSubrange(needed...) }
      guard case .item(let leaf) = head, plan.nodes[node].isUnique, let heading = leaves[leaf].heading,
        hasSeen(heading[depth].id, node)
      else { return head }
      drop(leaf, by: node, depth: depth)
    }
  }

  private mutating func least(of node: Int, depth: Int) -> Head {
    var best: Int?
    var (isUnknown, isOut) = (false, false)
    for input in plan.nodes[node].inputs {
      switch head(of: input, depth: depth + 1) {
      case .item(let leaf):
        if let other = best, let key = leaves[leaf].heading?[depth].key,
          let least = leaves[other].heading?[depth].key, !(key < least)
        {
          continue
        }
        best = leaf
      case .unknown: isUnknown = true
      case .out: isOut = true
      case .ended: break
      }
    }
    if isOut, plan.nodes[node].requiresAll { return .out }
    if isUnknown { return .unknown }
    return best.map { .item($0) } ?? (isOut ? .out : .ended)
  }

  private mutating func first(of node: Int, depth: Int) -> Head {
    var isOut = false
    for input in plan.nodes[node].inputs {
      let head = head(of: input, depth: depth + 1)
      switch head {
      case .item, .unknown: return head
      case .ended: break
      case .out:
        isOut = true
        if plan.nodes[node].requiresAll { return .out }
      }
    }
    return isOut ? .out : .ended
  }

  /// Where the one whose turn it is has to be asked, those that follow it in this slice are asked beside it.
  private mutating func inTurn(of node: Int, depth: Int) -> Head {
    let inputs = plan.nodes[node].inputs
    var isOut = false
    var expected = 0
    var isUnknown = false
    for offset in inputs.indices where expected < room {
      let head = head(of: inputs[(position.nodes[node].turn + offset) % inputs.count], depth: depth + 1)
      switch head {
      case .item:
        if !isUnknown { return head }
        expected += 1
      case .unknown:
        isUnknown = true
        expected += 1
      case .ended: break
      case .out:
        isOut = true
        if plan.nodes[node].requiresAll { return .out }
      }
    }
    if isUnknown { return .unknown }
    return isOut ? .out : .ended
  }

  // MARK: Showing

  /// Shows a leaf's next item.
  mutating func show(_ leaf: Int) {
    let state = leaves[leaf]
    guard let leg = state.leg else { return }
    picks.append(MergedSlice.Pick(leaf: leaf, leg: leg, index: state.index))
    position.served += 1
    note(leaf, from: 0)
    advance(leaf)
  }

  /// Passes over a leaf's next item, which a node has shown already: to the lists below that node it is as if they had shown it.
  private mutating func drop(_ leaf: Int, by node: Int, depth: Int) {
    warnings.add(.duplicatesDropped)
    position.overlaps = true
    noteKey(leaf, at: depth)
    note(leaf, from: depth + 1)
    advance(leaf)
  }

  /// Lets the lists on a leaf's way know that its next item has been shown.
  private mutating func note(_ leaf: Int, from depth: Int) {
    guard let heading = leaves[leaf].heading else { return }
    let way = plan.ways[leaf]
    for depth in depth..<way.count {
      let (node, input) = (way[depth].node, way[depth].input)
      switch plan.nodes[node].strategy {
      case .merge: noteKey(leaf, at: depth)
      case .interleave: position.nodes[node].turn = (input + 1) % plan.nodes[node].inputs.count
      case .concat: break
      }
      if plan.nodes[node].isUnique, heading[depth].id != 0 { remember(heading[depth].id, node) }
    }
  }

  /// An input whose items do not come in the order that it is merged by is told of.
  private mutating func noteKey(_ leaf: Int, at depth: Int) {
    let step = plan.ways[leaf][depth]
    guard plan.nodes[step.node].strategy == .merge, let key = leaves[leaf].heading?[depth].key else { return }
    if let last = position.nodes[step.node].lastKeys[step.input], key.certainlyPrecedes(last) {
      warnings.addOnce(.sourceUnsorted, detail: plan.nodes[step.node].names[step.input])
    }
    position.nodes[step.node].lastKeys[step.input] = key
  }

  private mutating func advance(_ leaf: Int) {
    guard let leg = leaves[leaf].leg else { return }
    leaves[leaf].index += 1
    if leaves[leaf].index < leg.count {
      leaves[leaf].heading = leg.heading(of: leaves[leaf].index)
    } else {
      position.leaves[leaf].place = leg.place(after: leg.count)
      leaves[leaf].leg = nil
      leaves[leaf].heading = nil
    }
  }

  // MARK: Unique items

  private func hasSeen(_ id: UInt64, _ node: Int) -> Bool {
    id != 0 && position.nodes[node].seen.contains(id & Self.idMask)
  }

  private mutating func remember(_ id: UInt64, _ node: Int) {
    if position.nodes[node].seen.count == MergePosition.seenCount { position.nodes[node].seen.removeFirst() }
    position.nodes[node].seen.append(id & Self.idMask)
  }

  /// What a cursor keeps of an id.
  private static let idMask: UInt64 = (1 << 48) - 1
}
