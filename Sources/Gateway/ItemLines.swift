import JSON
import Paging

/// Items, the upstream's own bytes, a line each. A line break within an item, which can only be white space between its tokens
/// (RFC 8259 §7), is a space.
struct ItemLines {
  private(set) var bytes: [UInt8] = []

  init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

  init(of slice: Slice) {
    var byteCount = 0
    for piece in slice.pieces {
      for item in piece.page.items[piece.items] { byteCount += item.range.count + 1 }
    }
    self.init(reserving: byteCount)
    for piece in slice.pieces {
      for index in piece.items { append(piece.page, index, in: .none) }
    }
  }

  /// - Parameter parts: an item each.
  init(of parts: [SliceAnswer.Part]) {
    self.init(reserving: parts.reduce(0) { $0 + $1.range.count + $1.wrapping.after.count + 16 })
    for part in parts { append(part.body, part.range, in: part.wrapping) }
  }

  /// - Parameter index: of an item of the page.
  mutating func append(_ page: Page, _ index: Int, in wrapping: ItemWrapping) {
    append(page.body, page.items[index].range, in: wrapping)
  }

  private mutating func append(_ body: Bytes, _ range: Range<Int>, in wrapping: ItemWrapping) {
    let start = bytes.count
    bytes += wrapping.before
    unsafe body.withUnsafeBytes { unsafe bytes.append(contentsOf: $0[range]) }
    bytes += wrapping.after
    for index in start..<bytes.count
    where bytes[index] == Self.lineFeed || bytes[index] == Self.carriageReturn {
      bytes[index] = UInt8(ascii: " ")
    }
    bytes.append(Self.lineFeed)
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
}
