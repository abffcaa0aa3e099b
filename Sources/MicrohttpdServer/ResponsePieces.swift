import Gateway
import JSON

/// Content in pieces, read a block at a time.
struct ResponsePieces {
  private var segments: [Response.Segment]
  private var index = 0
  /// Within the segment at `index`.
  private var offset = 0

  init(_ segments: [Response.Segment]) { self.segments = segments }

  var isEmpty: Bool { index == segments.count }

  /// Adds to what is to be read.
  mutating func append(_ more: [Response.Segment]) {
    // What has been read is let go.
    if isEmpty {
      segments = more
      index = 0
    } else {
      segments += more
    }
  }

  /// Fills `block` as far as there is content, and goes on from there the next time.
  mutating func read(into block: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while index < segments.count && count < block.count {
      let segment = segments[index]
      unsafe segment.withUnsafeBytes { whole in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: whole[offset...].prefix(block.count - count))
        unsafe UnsafeMutableRawBufferPointer(rebasing: block[count...]).copyMemory(from: rest)
        count += rest.count
        offset += rest.count
      }
      if offset == segment.count {
        index += 1
        offset = 0
      }
    }
    // Empty segments are not content.
    while index < segments.count && segments[index].count == 0 { index += 1 }
    return count
  }

  /// Lets go of all that is left.
  mutating func removeAll() { self = ResponsePieces([]) }
}

extension Response.Segment {
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    switch self {
    case .bytes(let bytes): unsafe bytes.withUnsafeBytes(body)
    case .slice(let bytes, let range):
      unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }
}
