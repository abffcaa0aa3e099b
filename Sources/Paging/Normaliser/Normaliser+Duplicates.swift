import JSON

extension Normaliser {
  /// Whether two items have equal hashes. Most pages have none, so this only looks.
  func hasEqualIDs(_ items: [Page.Item]) -> Bool {
    if items.count <= 24 {
      for index in 1..<items.count where items[index].id != 0 {
        for earlier in 0..<index where items[earlier].id == items[index].id { return true }
      }
      return false
    }
    // Open addressing; at most half of the slots are taken.
    let slotCount = 1 << (Int.bitWidth - (2 * items.count - 1).leadingZeroBitCount)
    return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: slotCount) { slots in
      unsafe slots.initialize(repeating: 0)
      for item in items where item.id != 0 {
        var slot = Int(truncatingIfNeeded: item.id >> 20) & (slotCount - 1)
        while unsafe slots[slot] != 0 {
          if unsafe slots[slot] == item.id { return true }
          slot = (slot + 1) & (slotCount - 1)
        }
        unsafe slots[slot] = item.id
      }
      return false
    }
  }

  /// Keeps the first of the items with the same id, comparing the ids themselves and not their hashes.
  func dropDuplicates(_ draft: inout Draft, _ body: Bytes) {
    // Items that stand there byte for byte the same need no look into them; for the others one parser serves all.
    let parser = Parser(maximumDepth: 1 << 16)
    var seen: [UInt64: [Page.Item]] = [:]
    var kept: [Page.Item] = []
    var keys: [Range<Int>] = []
    for (index, item) in draft.items.enumerated() {
      if item.id != 0 {
        let candidates = seen[item.id] ?? []
        if candidates.contains(where: { isSame(item, $0, body, parser) }) { continue }
        seen[item.id] = candidates + [item]
      }
      kept.append(item)
      if !draft.keys.isEmpty { keys.append(draft.keys[index]) }
    }
    guard kept.count < draft.items.count else { return }
    draft.warnings.add(.duplicatesDropped, count: draft.items.count - kept.count)
    draft.items = kept
    draft.keys = keys
    draft.isContiguous = false
  }

  private func isSame(_ item: Page.Item, _ other: Page.Item, _ body: Bytes, _ parser: Parser) -> Bool {
    let areEqual = unsafe body.withUnsafeBytes { bytes in
      unsafe bytes[item.range].elementsEqual(bytes[other.range])
    }
    return areEqual || idText(of: item, body, parser) == idText(of: other, body, parser)
  }

  /// What an item's id is made of, as bytes that only equal ids share.
  private func idText(of item: Page.Item, _ body: Bytes, _ parser: Parser) -> [UInt8] {
    var text: [UInt8] = []
    guard case .at(let pointers) = plan.items.id,
      let part = try? parser.parse(body, in: item.range)
    else { return text }
    for pointer in pointers {
      guard let node = part.node(at: pointer) else {
        text.append(0)
        continue
      }
      text.append(1)
      if !part.appendText(of: node, to: &text) { text += part.bytes[part.range(of: node)] }
      text.append(0)
    }
    return text
  }
}
