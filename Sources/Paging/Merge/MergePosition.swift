// The bytes of a position:
//
//   version  served  flags  leaves: (kind  place  total)  nodes: (turn | last keys)  seen ids
//
// Numbers are LEB128. Of two page-numbered lists it takes about 300 bytes.

/// Where a walk through several lists stands: where it stands in each of them, and what is needed to go on merging.
package struct MergePosition: Sendable, Hashable {
  /// Where the walk through one list stands.
  package enum Place: Sendable, Hashable {
    case beginning
    /// Bytes that the list's own walk knows.
    case within([UInt8])
    case end
  }

  package struct Leaf: Sendable, Hashable {
    package internal(set) var place = Place.beginning
    /// Of the whole list, where it is known and exact.
    var total: Int?
  }

  struct Node: Sendable, Hashable {
    /// For ``MergePlan/Strategy/interleave``: the input whose turn it is.
    var turn = 0
    /// For ``MergePlan/Strategy/merge``: the key of each input's last item, as much of it as is kept; nil before the first.
    var lastKeys: [SortKey?] = []
    /// For unique items: 48-bit hashes of the ids of those that came last, the newest last.
    var seen: [UInt64] = []
  }

  package internal(set) var leaves: [Leaf]
  var nodes: [Node]
  /// Items shown since the walk began.
  package internal(set) var served = 0
  /// Whether an item was seen to be in several lists, so that the lists' totals count some items twice.
  var overlaps = false

  /// How many ids are remembered.
  package static let seenCount = 64

  /// The beginning.
  init(_ plan: MergePlan) {
    leaves = Array(repeating: Leaf(), count: plan.leaves.count)
    nodes = plan.nodes.map { node in
      Node(lastKeys: node.strategy == .merge ? Array(repeating: nil, count: node.inputs.count) : [])
    }
  }
}

extension MergePosition {
  package struct Failure: Error, Sendable, Hashable {}

  private static let version: UInt8 = 1

  /// Compact bytes, the same for equal positions.
  package func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 256)
    writer.write(byte: Self.version)
    writer.write(UInt64(served))
    writer.write(byte: overlaps ? 1 : 0)
    for leaf in leaves {
      switch leaf.place {
      case .beginning: writer.write(byte: 0)
      case .within(let bytes):
        writer.write(byte: 1)
        writer.write(bytes)
      case .end: writer.write(byte: 2)
      }
      writer.write(optional: leaf.total)
    }
    for node in nodes {
      writer.write(UInt64(node.turn))
      // A key has a byte at least, so none is none.
      for key in node.lastKeys { writer.write(key?.kept.bytes ?? []) }
      writer.write(UInt64(node.seen.count))
      for id in node.seen { writer.write(fingerprint: id) }
    }
    return writer.bytes
  }

  /// Takes any bytes; only what ``encode()`` wrote of a position by the same plan is one.
  package init(decoding bytes: [UInt8], by plan: MergePlan) throws(Failure) {
    self.init(plan)
    var reader = ByteReader(bytes)
    do { try read(&reader, plan) } catch { throw Failure() }
    guard reader.isAtEnd else { throw Failure() }
  }

  private mutating func read(_ reader: inout ByteReader, _ plan: MergePlan) throws(ByteReader.Malformed) {
    guard try reader.byte() == Self.version else { throw ByteReader.Malformed() }
    served = try reader.number(upTo: Paging.Place.maximumIndex)
    let flag = try reader.byte()
    guard flag <= 1 else { throw ByteReader.Malformed() }
    overlaps = flag == 1
    for index in leaves.indices {
      switch try reader.byte() {
      case 0: leaves[index].place = .beginning
      case 1: leaves[index].place = .within(try reader.text(upTo: Self.longestPlace))
      case 2: leaves[index].place = .end
      default: throw ByteReader.Malformed()
      }
      leaves[index].total = try reader.optional(upTo: Paging.Place.maximumIndex)
    }
    for index in nodes.indices {
      nodes[index].turn = try reader.number(upTo: plan.nodes[index].inputs.count - 1)
      for input in nodes[index].lastKeys.indices {
        let key = try reader.text(upTo: SortKey.keptByteCount)
        nodes[index].lastKeys[input] = key.isEmpty ? nil : SortKey(bytes: key)
      }
      let count = try reader.number(upTo: plan.nodes[index].isUnique ? Self.seenCount : 0)
      for _ in 0..<count { nodes[index].seen.append(try reader.fingerprint()) }
    }
  }

  private static let longestPlace = 2 * Paging.Place.maximumByteCount
}
