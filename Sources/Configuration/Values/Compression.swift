package import HTTPSemantics

extension Configuration {
  /// How answers are compressed.
  package struct Compression: Sendable, Equatable {
    /// Those that there are; `deflate` is not, since clients do not agree on what it is.
    package enum Coding: String, Sendable, CaseIterable {
      case zstd, br, gzip

      package var contentCoding: ContentCoding {
        switch self {
        case .zstd: .zstd
        case .br: .br
        case .gzip: .gzip
        }
      }
    }

    /// The favourite first, among those that a client likes the same; none switches compression off.
    package let codings: [Coding]
    /// Contents of fewer bytes go out as they are.
    package let minimum: Int

    package static let defaults = Compression(codings: [.zstd, .br, .gzip], minimum: 1_024)
  }
}
