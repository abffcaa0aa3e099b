/// Which upstream page: what a style needs to ask for it.
enum Place: Sendable, Hashable {
  /// The list's own request, as it is.
  case beginning
  /// A numbered page; `size` is what is asked for, 0 when nothing is.
  case page(number: Int, size: Int)
  /// The page that starts with the item of this index, from 0.
  case offset(Int)
  /// The page behind a token or key, as plain text.
  case text([UInt8])
  /// The page behind a token or key that is not plain text, in its JSON spelling.
  case json([UInt8])
  /// The page at a path and query.
  case target([UInt8])
  /// The items of a time: from the one second up to, but not including, the other; on the upstream's clock, since 1970.
  case window(from: Int, to: Int)
}

extension Place {
  /// Where ``Said/next`` leads; nil when it leads nowhere.
  init?(_ next: Said.Next) {
    switch next {
    case .unsaid, .none: return nil
    case .text(let text): self = .text(text)
    case .json(let json): self = .json(json)
    case .target(let target): self = .target(target)
    }
  }

  /// Numbers beyond these are no position of a real list, and would overflow when multiplied.
  static let maximumIndex = 1 << 40
  static let maximumPageSize = 1 << 20
  /// Tokens and targets longer than this are refused: they would not fit into a cursor that fits into a URL.
  static let maximumByteCount = 8_192

  /// 48 bits that tell places apart, to recognise one that comes again.
  var fingerprint: UInt64 {
    var writer = ByteWriter(reserving: 32)
    write(to: &writer)
    return StableHash.of(writer.bytes.span) >> 16
  }

  func write(to writer: inout ByteWriter) {
    switch self {
    case .beginning: writer.write(byte: 0)
    case .page(let number, let size):
      writer.write(byte: 1)
      writer.write(signed: number)
      writer.write(UInt64(size))
    case .offset(let index):
      writer.write(byte: 2)
      writer.write(UInt64(index))
    case .text(let text):
      writer.write(byte: 3)
      writer.write(text)
    case .json(let json):
      writer.write(byte: 4)
      writer.write(json)
    case .target(let target):
      writer.write(byte: 5)
      writer.write(target)
    case .window(let from, let to):
      writer.write(byte: 6)
      writer.write(signed: from)
      writer.write(signed: to)
    }
  }

  init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    switch try reader.byte() {
    case 0: self = .beginning
    case 1:
      self = .page(
        number: try reader.signed(within: Place.maximumIndex),
        size: try reader.number(upTo: Place.maximumPageSize))
    case 2: self = .offset(try reader.number(upTo: Place.maximumIndex))
    case 3: self = .text(try reader.text(upTo: Place.maximumByteCount))
    case 4: self = .json(try reader.text(upTo: Place.maximumByteCount))
    case 5: self = .target(try reader.text(upTo: Place.maximumByteCount))
    case 6:
      self = .window(
        from: try reader.signed(within: Place.maximumIndex), to: try reader.signed(within: Place.maximumIndex)
      )
    default: throw ByteReader.Malformed()
    }
  }
}
