package import JSON

/// One upstream answer after normalisation: items as byte ranges of the upstream's own body, and what it says of the
/// list. Immutable; shared by the slices cut from it and by the cache.
package final class Page: Sendable {
  package struct Item: Sendable, Hashable {
    /// Where it starts and ends in the body.
    package let start: UInt32
    package let end: UInt32
    /// A hash of what identifies it; 0 when nothing does. Two ids of one list collide with a probability of 2^-64
    /// (2^-48 for what a cursor remembers); a collision would hide one row. Within one page duplicates are compared
    /// by their bytes, so nothing is ever dropped there by accident.
    package let id: UInt64

    package init(start: UInt32, end: UInt32, id: UInt64) {
      self.start = start
      self.end = end
      self.id = id
    }

    package var range: Range<Int> { Int(start)..<Int(end) }
  }

  package let body: Bytes
  /// In the upstream's order, duplicates dropped.
  package let items: [Item]
  /// How many there were before duplicates were dropped: what offsets and page sizes count.
  package let rawCount: Int
  /// Whether the items stand in the body one behind the other with nothing but a comma and white space between.
  package let isContiguous: Bool
  package let said: Said
  /// For keysets: where each item's key is in the body, an empty range where it has none. Else empty.
  package let keys: [Range<Int>]
  package let warnings: Warnings
  /// The same for pages with the same items in the same order, 48 bits.
  package let fingerprint: UInt64
  /// Whether ``fingerprint`` is made of ids rather than of the items' bytes.
  let isIdentified: Bool
  /// Which edition of its list it belongs to, later ones higher; 0 where nobody tells them apart.
  package let edition: UInt32
  /// Whether it is an older one in place of a page that was asked for to prove something: it proves nothing of the list.
  let isStandIn: Bool

  package init(
    body: Bytes, items: [Item], rawCount: Int, isContiguous: Bool, said: Said, keys: [Range<Int>],
    warnings: Warnings
  ) {
    self.body = body
    self.items = items
    self.rawCount = rawCount
    self.isContiguous = isContiguous
    self.said = said
    self.keys = keys
    self.warnings = warnings
    edition = 0
    isStandIn = false
    isIdentified = items.allSatisfy { $0.id != 0 }
    fingerprint = isIdentified ? Page.hash(ofIDs: items) : Page.hash(ofBytes: items, in: body)
  }

  /// The same page, of an edition.
  package convenience init(_ page: Page, edition: UInt32) {
    self.init(page, edition: edition, isStandIn: false)
  }

  /// The same page, in place of one that could not be had.
  package convenience init(standIn page: Page) {
    self.init(page, edition: page.edition, isStandIn: true)
  }

  private init(_ page: Page, edition: UInt32, isStandIn: Bool) {
    body = page.body
    items = page.items
    rawCount = page.rawCount
    isContiguous = page.isContiguous
    said = page.said
    keys = page.keys
    warnings = page.warnings
    fingerprint = page.fingerprint
    isIdentified = page.isIdentified
    self.edition = edition
    self.isStandIn = isStandIn
  }

  private static func hash(ofIDs items: [Item]) -> UInt64 {
    var hash: UInt64 = 0
    for item in items { hash = StableHash.combine(hash, item.id) }
    return hash >> 16
  }

  private static func hash(ofBytes items: [Item], in body: Bytes) -> UInt64 {
    unsafe body.withUnsafeBytes { bytes in
      var hash: UInt64 = 0
      for item in items {
        hash = unsafe StableHash.of(UnsafeRawBufferPointer(rebasing: bytes[item.range]), seed: hash)
      }
      return hash >> 16
    }
  }
}

extension Page.Item {
  /// What a cursor remembers of ``id``.
  var anchor: UInt64 { id >> 16 }
}
