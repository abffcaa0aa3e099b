/// The last items served, by which their neighbours are found again when the list has moved.
///
/// Several are kept, so that the deletion of some does not lose the place.
struct Anchors: Sendable, Hashable {
  static let capacity = 16

  /// 48-bit hashes of ids, the newest last.
  private(set) var hashes: [UInt64] = []
  /// Items served after the newest anchor that have no id.
  private(set) var unnamed = 0
  /// Whether ``hashes`` holds every item served so far.
  private(set) var isComplete = true

  init() {}

  var isEmpty: Bool { hashes.isEmpty }
  var newest: UInt64? { hashes.last }

  mutating func append(_ items: ArraySlice<Page.Item>) {
    let unnamedAtEnd = items.reversed().prefix { $0.id == 0 }.count
    unnamed = unnamedAtEnd == items.count ? unnamed + unnamedAtEnd : unnamedAtEnd
    let kept = items.suffix(Anchors.capacity)
    if kept.count < items.count { isComplete = false }
    for item in kept {
      if item.id == 0 {
        isComplete = false
      } else {
        if hashes.count == Anchors.capacity {
          hashes.removeFirst()
          isComplete = false
        }
        hashes.append(item.anchor)
      }
    }
  }

  /// One bit for each anchor's low bits: what is not in here is no anchor.
  var filter: UInt64 {
    var bits: UInt64 = 0
    for hash in hashes { bits |= 1 << (hash & 63) }
    return bits
  }

  /// The rank of an item among the anchors, 0 for the oldest; nil when it is none.
  func rank(of item: Page.Item, filter: UInt64) -> Int? {
    guard item.id != 0, filter >> (item.anchor & 63) & 1 != 0 else { return nil }
    return hashes.lastIndex(of: item.anchor)
  }

  func write(to writer: inout ByteWriter) {
    writer.write(UInt64(hashes.count))
    for hash in hashes { writer.write(fingerprint: hash) }
    writer.write(UInt64(unnamed))
    writer.write(byte: isComplete ? 1 : 0)
  }

  init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    let count = try reader.number(upTo: Anchors.capacity)
    hashes.reserveCapacity(Anchors.capacity)
    for _ in 0..<count { hashes.append(try reader.fingerprint()) }
    unnamed = try reader.number(upTo: Place.maximumIndex)
    let flag = try reader.byte()
    guard flag <= 1 else { throw ByteReader.Malformed() }
    isComplete = flag == 1
  }
}
