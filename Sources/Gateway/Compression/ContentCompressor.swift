package import HTTPSemantics
package import JSON

/// Compresses contents. Belongs to one loop, like the other ports.
package protocol ContentCompressor: AnyObject {
  /// Compresses `content`, taken as one.
  ///
  /// - Parameter coding: one of those that compress, but not `deflate`, which two kinds of client read in two ways.
  /// - Returns: nil where the library fails, most likely for want of memory: then the content goes out as it is.
  func compress(_ content: ArraySlice<Response.Segment>, in coding: ContentCoding) -> CompressedContent?

  /// The content that begins with `start`, which is not compressed, and goes on with `rest`, in `rest`'s coding.
  func join(_ start: [UInt8], _ rest: CompressedContent) -> [Response.Segment]
}

/// Compressed content without what its coding puts before and behind it, so that something else can be put before it.
package struct CompressedContent: Sendable {
  package let coding: ContentCoding
  package let bytes: Bytes
  /// How many bytes it was made of.
  package let originalCount: Int
  /// The CRC-32 of these, where the coding wants it.
  package let checksum: UInt32

  package init(coding: ContentCoding, bytes: Bytes, originalCount: Int, checksum: UInt32 = 0) {
    self.coding = coding
    self.bytes = bytes
    self.originalCount = originalCount
    self.checksum = checksum
  }
}

/// The compressed forms of what stays the same in an answer that is given again and again: each is made once.
final class KeptCodings {
  /// How many segments of the content, from the first, differ from one time to the next.
  let differingCount: Int
  private var forms: [CompressedContent] = []

  init(differingCount: Int) { self.differingCount = differingCount }

  func form(in coding: ContentCoding, _ make: () -> CompressedContent?) -> CompressedContent? {
    if let form = forms.first(where: { $0.coding == coding }) { return form }
    guard let form = make() else { return nil }
    forms.append(form)
    return form
  }
}
