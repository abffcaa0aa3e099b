import JSON
import Paging

/// The ids by which items are to be completed. Ids are compared by their text: 7 and "7" are the same, and an
/// integer may have any number of digits.
struct EnrichmentIDs {
  struct ID {
    let text: [UInt8]
    /// As the item spells it.
    let json: [UInt8]
  }

  /// Each once, in the order they first come.
  private(set) var distinct: [ID] = []
  /// One an item, in order; nil where it names nothing.
  private(set) var byItem: [[UInt8]?] = []

  init(of items: [PlacedItem], at pointer: Pointer, _ parser: Parser) {
    byItem.reserveCapacity(items.count)
    var known: Set<[UInt8]> = []
    for item in items {
      guard let id = Self.id(in: item.body, item.range, at: pointer, parser) else {
        byItem.append(nil)
        continue
      }
      byItem.append(id.text)
      if known.insert(id.text).inserted { distinct.append(id) }
    }
  }

  private static func id(in body: Bytes, _ range: Range<Int>, at pointer: Pointer, _ parser: Parser) -> ID? {
    guard let document = try? parser.parse(body, in: range), let node = document.node(at: pointer) else {
      return nil
    }
    var text: [UInt8] = []
    guard document.appendText(of: node, to: &text), !text.isEmpty else { return nil }
    return ID(text: text, json: document.bytes[document.range(of: node)])
  }
}

/// An item where it lies, in an upstream's body.
struct PlacedItem {
  let body: Bytes
  let range: Range<Int>
}

extension Slice {
  var placedItems: [PlacedItem] {
    pieces.flatMap { piece in
      piece.page.items[piece.items].map { PlacedItem(body: piece.page.body, range: $0.range) }
    }
  }
}
