/// How several lists are made one: a tree whose leaves are lists with walks of their own. Shared by all walks.
package struct MergePlan: Sendable, Hashable {
  package enum Strategy: Sendable, Hashable {
    /// By the key of the first item of each, the least first; where keys are equal, in the order of the inputs. Each input
    /// keeps its own order.
    case merge
    /// One after the other.
    case concat
    /// One item of each in turn.
    case interleave
  }

  package enum Input: Sendable, Hashable {
    /// An index into ``MergePlan/leaves``.
    case leaf(Int)
    /// An index into ``MergePlan/nodes``; greater than the node's own.
    case node(Int)
  }

  package struct Node: Sendable, Hashable {
    package let strategy: Strategy
    /// One or more.
    package let inputs: [Input]
    /// Of the inputs, for warnings.
    package let names: [String]
    /// Whether nothing comes unless all inputs can be had.
    package let requiresAll: Bool
    /// Whether an item comes once whichever inputs have it, as told by ``Heading/Mark/id``.
    package let isUnique: Bool

    package init(
      _ strategy: Strategy, of inputs: [Input], names: [String], requiresAll: Bool, isUnique: Bool
    ) {
      precondition(!inputs.isEmpty && inputs.count == names.count)
      self.strategy = strategy
      self.inputs = inputs
      self.names = names
      self.requiresAll = requiresAll
      self.isUnique = isUnique
    }
  }

  /// A step from a leaf to the root.
  struct Step: Sendable, Hashable {
    let node: Int
    /// The index of the input that the leaf is below.
    let input: Int
  }

  /// The first is the root.
  package let nodes: [Node]
  /// The names of the lists that items come from, for warnings.
  package let leaves: [String]
  /// For each leaf the way from the root down to it. A heading has a mark for each step.
  let ways: [[Step]]

  package init(nodes: [Node], leaves: [String]) {
    self.nodes = nodes
    self.leaves = leaves
    var ways: [[Step]] = Array(repeating: [], count: leaves.count)
    func descend(_ node: Int, _ way: [Step]) {
      for (index, input) in nodes[node].inputs.enumerated() {
        let here = way + [Step(node: node, input: index)]
        switch input {
        case .leaf(let leaf): ways[leaf] = here
        case .node(let inner):
          precondition(inner > node)
          descend(inner, here)
        }
      }
    }
    descend(0, [])
    precondition(ways.allSatisfy { !$0.isEmpty }, "a leaf that is nobody's input")
    self.ways = ways
  }
}
