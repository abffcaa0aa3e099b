import JSON

/// A section of a screen, answered: an envelope of its own.
struct SectionAnswer {
  enum Kind {
    case good
    /// Nothing was to be asked for: the section that it needs has nothing.
    case skipped
    case failed(GatewayError)
  }

  let kind: Kind
  let envelope: [Response.Segment]
  /// The same for answers that are the same to a client.
  let digest: UInt64

  var failure: GatewayError? { if case .failed(let error) = kind { error } else { nil } }

  /// The envelope, to look something up in it.
  func document(_ parser: Parser) -> Document? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(envelope.reduce(0) { $0 + $1.count })
    for segment in envelope {
      switch segment {
      case .bytes(let own): bytes += own
      case .slice(let body, let range):
        unsafe body.withUnsafeBytes { unsafe bytes.append(contentsOf: $0[range]) }
      }
    }
    return try? parser.parse(Bytes(copying: bytes))
  }
}
