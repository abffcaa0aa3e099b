// The bytes of a position, which a cursor seals:
//
//   version  place  consumed  pageSize  served  flags  distrusted  emptyRun  total  pageCount  echo
//   previous page  first page  anchors  recent places  edition
//
// Numbers are LEB128, but for the edition: it takes the last four bytes. A walk of a page-numbered list, 27 items into it with a limit of 20, takes about 130 bytes, most of
// them its anchors; without anchors, 25.

/// Where a walk stands: which upstream page comes next, how far into it, and what is needed to go on from there on any
/// machine: what was learned of the list, and the anchors by which the place is found again when the list has moved.
package struct Position: Sendable, Hashable {
  /// The page to ask for.
  var place: Place
  /// How many of its items, from the start, are behind the reader.
  var consumed = 0
  /// The most items seen on one page, 0 before the first.
  var pageSize = 0
  /// Items served since the walk began.
  package internal(set) var served = 0
  var traits: Traits = []
  /// What has been caught contradicting the pages, and is not believed any more.
  var distrusted: Sources = []
  /// Pages in a row that brought nothing.
  var emptyRun = 0
  var total: Int?
  var pageCount: Int?
  /// The number that the page before called itself.
  var echo: Int?
  /// Fingerprint of the page before this one; 0 for none.
  var previousPage: UInt64 = 0
  /// Fingerprint of the walk's first page; 0 for none.
  var firstPage: UInt64 = 0
  var anchors = Anchors()
  /// Fingerprints of the last places, this one included, the newest last. Only of styles that are led by the upstream.
  var recentPlaces: [UInt64] = []
  /// The edition of the list that the walk is in: that of the newest page it has seen (``Page/edition``); 0 for none.
  package internal(set) var edition: UInt32 = 0

  init(place: Place) { self.place = place }

  struct Traits: OptionSet, Sendable, Hashable {
    let rawValue: UInt8
    /// The last page was said to be followed by this one, by more than a total.
    static let isPromised = Traits(rawValue: 1)
    /// The list was seen to move during this walk.
    static let hasMoved = Traits(rawValue: 2)
    /// The upstream pays no regard to the page size it is asked for.
    static let sizeIsFixed = Traits(rawValue: 4)
    /// Behind ``Position/consumed`` there are items that have been served.
    static let isJumbled = Traits(rawValue: 8)
    /// Something told that the list moved just before this page, and the seam is still to be proven.
    static let isSuspect = Traits(rawValue: 16)
    /// Items were seen to leave from above the reader: rows may slide off the next page unseen.
    static let hasShrunk = Traits(rawValue: 32)
    /// The list has ``Position/total`` items or more.
    static let totalIsLowerBound = Traits(rawValue: 64)

    mutating func set(_ trait: Traits, to isSet: Bool) {
      if isSet { insert(trait) } else { remove(trait) }
    }
  }

  package static let recentPlaceCount = 8
}

extension Position {
  package struct Failure: Error, Sendable, Hashable {}

  private static let version: UInt8 = 2
  /// How many bytes at the end tell the edition, which is where a page was found and not where the reader stands.
  package static let editionByteCount = 4

  /// Compact bytes, the same for equal positions.
  package func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 128)
    writer.write(byte: Position.version)
    place.write(to: &writer)
    writer.write(UInt64(consumed))
    writer.write(UInt64(pageSize))
    writer.write(UInt64(served))
    writer.write(byte: traits.rawValue)
    writer.write(byte: distrusted.rawValue)
    writer.write(UInt64(emptyRun))
    writer.write(optional: total)
    writer.write(optional: pageCount)
    writer.write(optional: echo)
    writer.write(fingerprint: previousPage)
    writer.write(fingerprint: firstPage)
    anchors.write(to: &writer)
    writer.write(UInt64(recentPlaces.count))
    for place in recentPlaces { writer.write(fingerprint: place) }
    for shift in stride(from: 24, through: 0, by: -8) {
      writer.write(byte: UInt8(truncatingIfNeeded: edition >> UInt32(shift)))
    }
    return writer.bytes
  }

  /// Takes any bytes; only what ``encode()`` wrote is a position.
  package init(decoding bytes: [UInt8]) throws(Failure) {
    var reader = ByteReader(bytes)
    do { try self.init(from: &reader) } catch { throw Failure() }
    guard reader.isAtEnd else { throw Failure() }
  }

  private init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    guard try reader.byte() == Position.version else { throw ByteReader.Malformed() }
    place = try Place(from: &reader)
    consumed = try reader.number(upTo: Place.maximumIndex)
    pageSize = try reader.number(upTo: Place.maximumPageSize)
    served = try reader.number(upTo: Place.maximumIndex)
    traits = Traits(rawValue: try reader.byte())
    distrusted = Sources(rawValue: try reader.byte())
    emptyRun = try reader.number(upTo: Place.maximumIndex)
    total = try reader.optional(upTo: Place.maximumIndex)
    pageCount = try reader.optional(upTo: Place.maximumIndex)
    echo = try reader.optional(upTo: Place.maximumIndex)
    previousPage = try reader.fingerprint()
    firstPage = try reader.fingerprint()
    anchors = try Anchors(from: &reader)
    let count = try reader.number(upTo: Position.recentPlaceCount)
    for _ in 0..<count { recentPlaces.append(try reader.fingerprint()) }
    for _ in 0..<Position.editionByteCount { edition = edition << 8 | UInt32(try reader.byte()) }
  }
}
