/// A content coding (RFC 9110 §8.4.1, RFC 7932 for br, RFC 8878 for zstd).
package enum ContentCoding: UInt8, Sendable, Hashable, CaseIterable {
  case identity, gzip, deflate, br, zstd

  package var name: StaticString {
    switch self {
    case .identity: "identity"
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .br: "br"
    case .zstd: "zstd"
    }
  }
}

/// The `Accept-Encoding` field (RFC 9110 §12.5.3).
package enum AcceptEncoding {
  /// Chooses the coding to answer in.
  ///
  /// - Parameter codings: what there is, the server's favourite first; of equal weights the earlier one wins.
  /// - Returns: `.identity` when the client takes none of them. The server may always send that, even where the client
  ///   would rather not: an answer in a coding that it cannot read would be no answer.
  package static func choose(_ field: Span<UInt8>, among codings: [ContentCoding]) -> ContentCoding {
    var best = ContentCoding.identity
    var bestWeight = 0
    for coding in codings {
      let weight = weight(of: coding, in: field)
      if weight > bestWeight {
        best = coding
        bestWeight = weight
      }
    }
    guard best != .identity else { return best }
    return weight(of: .identity, in: field, unnamed: 0) > bestWeight ? .identity : best
  }

  /// Whether the client takes `coding`, by its name or by `*`.
  package static func accepts(_ coding: ContentCoding, in field: Span<UInt8>) -> Bool {
    weight(of: coding, in: field) > 0
  }

  /// Whether the client would have the content as it is: unless it says otherwise, by `identity;q=0` or `*;q=0`.
  package static func allowsIdentity(_ field: Span<UInt8>) -> Bool {
    weight(of: .identity, in: field, unnamed: 1_000) > 0
  }

  /// 0 to 1000: the weight of the coding where it is named, else that of `*`, else `unnamed`.
  private static func weight(of coding: ContentCoding, in field: Span<UInt8>, unnamed: Int = 0) -> Int {
    var starWeight: Int?
    var list = WeightedList()
    while let element = list.next(in: field) {
      if field.matches(coding.name, in: element.value) { return element.weight }
      // RFC 9110 §8.4.1.3: x-gzip is the same.
      if coding == .gzip, field.matches("x-gzip", in: element.value) { return element.weight }
      if field.matches("*", in: element.value) { starWeight = element.weight }
    }
    return starWeight ?? unnamed
  }
}
