internal import CIconv
internal import Glibc
package import JSON

/// Turns text of one character set into UTF-8, by the C library's iconv. Belongs to one thread at a time.
///
/// The C library loads a set's table from `gconv/` when the set is first used.
@safe package final class Transcoder {
  /// Text that is not of the character set it should be.
  package struct Failure: Error, Sendable, Hashable {
    /// Of the first byte that cannot be.
    package let offset: Int
    package let message: String
  }

  /// As iconv names the character set.
  package let name: String
  private let descriptor: iconv_t

  /// - Returns: nil where the C library does not know the character set.
  package init?(_ name: String) {
    guard let descriptor = unsafe listway_iconv_open(name) else { return nil }
    self.name = name
    unsafe self.descriptor = descriptor
  }

  deinit { unsafe iconv_close(descriptor) }

  /// A character needs four bytes of UTF-8 at most, and takes one at least; a few sets make two characters of one.
  private static let mostBytesForOne = 8
  private static let chunkByteCount = 16_384

  /// - Parameter ceiling: the most bytes of UTF-8.
  /// - Throws: ``Failure`` at the first byte that is no text of this character set, or where the text ends within a
  ///   character, or becomes too long.
  package func utf8(of text: Bytes, ceiling: Int = .max) throws(Failure) -> Bytes {
    var builder = BytesBuilder(
      ceiling: min(ceiling, text.count * Self.mostBytesForOne), reserving: text.count + text.count / 2)
    var failure: Failure?
    unsafe text.withUnsafeBytes { input in
      unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunkByteCount, alignment: 16) { chunk in
        unsafe failure = convert(input, by: chunk, into: &builder)
      }
    }
    if let failure { throw failure }
    return builder.finish()
  }

  private func convert(
    _ input: UnsafeRawBufferPointer, by chunk: UnsafeMutableRawBufferPointer, into builder: inout BytesBuilder
  ) -> Failure? {
    guard let start = input.baseAddress, let output = chunk.baseAddress else { return nil }
    // A conversion that failed leaves its state behind.
    _ = unsafe listway_iconv(descriptor, nil, nil, nil, nil)
    // iconv's input is not const by an accident of its history; it is only read.
    var next: UnsafeMutablePointer<CChar>? = unsafe UnsafeMutablePointer(
      mutating: start.assumingMemoryBound(to: CChar.self))
    var left = input.count
    while true {
      let isEnd = left == 0
      var position: UnsafeMutablePointer<CChar>? = unsafe output.assumingMemoryBound(to: CChar.self)
      var room = chunk.count
      let error =
        unsafe isEnd
        ? listway_iconv(descriptor, nil, nil, &position, &room)
        : listway_iconv(descriptor, &next, &left, &position, &room)
      let offset = input.count - left
      guard unsafe builder.append(UnsafeRawBufferPointer(start: output, count: chunk.count - room)) else {
        return Failure(offset: offset, message: "in UTF-8 the body is longer than \(builder.ceiling) bytes")
      }
      switch error {
      case 0: if isEnd { return nil }
      case E2BIG: continue
      case EINVAL: return Failure(offset: offset, message: "the text ends within a character of \(name)")
      default:
        let byte = unsafe String(input[offset], radix: 16, uppercase: true)
        return Failure(offset: offset, message: "byte \(offset) (0x\(byte)) is no text of \(name)")
      }
    }
  }
}
