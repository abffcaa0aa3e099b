import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging
import Telemetry

/// A list made of others as one loop serves it.
final class MergedRoute: ServedList {
  let configuration: Configuration.MergedList
  let loop: EventLoop
  /// One a leaf of the plan.
  let leaves: [Leaf]
  /// Whether any of them completes its items.
  let completes: Bool
  let parser = Parser(maximumDepth: PageSource.maximumDepth)

  struct Leaf {
    let list: ListRoute
    let configuration: Configuration.MergedList.Leaf
    let wrapping: ItemWrapping
  }

  init(
    configuration: Configuration.MergedList, from lists: [ListRoute], loop: EventLoop, figures: ListFigures
  ) {
    self.configuration = configuration
    self.loop = loop
    leaves = configuration.leaves.map { leaf in
      Leaf(list: lists[leaf.list], configuration: leaf, wrapping: ItemWrapping(tags: leaf.tags))
    }
    completes = leaves.contains { $0.list.enricher != nil }
    super.init(configuration, figures: figures)
  }

  override var kind: Kind { .merged(self) }
  override func secrets(for request: Request) -> [[UInt8]] {
    leaves.flatMap { $0.list.secrets(for: request) }
  }

  static func all(
    of configuration: Configuration, from lists: [ListRoute], loop: EventLoop, figures: GatewayFigures,
    shard: FigureShard
  ) -> [ServedList] {
    configuration.merged.enumerated().map { index, list in
      MergedRoute(
        configuration: list, from: lists, loop: loop,
        figures: ListFigures(figures, shard: shard, index: configuration.lists.count + index))
    }
  }

  /// What clients ask of a leaf's list when they ask this one.
  func arguments(of leaf: Int, from arguments: Arguments) -> Arguments {
    Arguments(leaves[leaf].configuration.arguments.map { arguments.values[$0] })
  }
}

extension ItemWrapping {
  /// - Parameter tags: names of sources, the outermost first; none where items are as they are.
  init(tags: [String]) {
    var before: [UInt8] = []
    for tag in tags {
      var writer = Writer(reserving: 64)
      writer.beginObject()
      writer.member("source", tag)
      writer.key("item")
      before += writer.written()
    }
    self.init(before: before, after: Array(repeating: UInt8(ascii: "}"), count: tags.count))
  }
}
