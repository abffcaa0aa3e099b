import JSON

// The bytes of a proposal, which a cursor carries beside its position: whoever opens the cursor walks on by the plan that the
// walk began with, without having seen its first answer.
//
//   version  style and its parts  items  says  refusal
//
// Texts have their length before them; a locator is its text, empty for none. Some 60 to 120 bytes.

extension Proposal {
  package struct Failure: Error, Sendable, Hashable {}

  private static let version: UInt8 = 1

  package func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 256)
    writer.write(byte: Self.version)
    write(style, to: &writer)
    write(items, to: &writer)
    for locator in [says.total, says.pageCount, says.page, says.hasMore, says.isLast, says.next] {
      writer.write(optional: locator?.text)
    }
    write(refusal, to: &writer)
    return writer.bytes
  }

  /// Reads what ``encode()`` wrote.
  ///
  /// - Parameter hosts: the upstream's own, to which those are added that were recognised.
  package init(decoding bytes: [UInt8], hosts: TrustedHosts) throws(Failure) {
    var reader = ByteReader(bytes)
    do {
      guard try reader.byte() == Self.version else { throw Failure() }
      style = try Self.style(&reader, hosts)
      items = try Self.items(&reader)
      var locators: [Locator?] = []
      for _ in 0..<6 { locators.append(try reader.locator()) }
      says = Says(
        total: locators[0], pageCount: locators[1], page: locators[2], hasMore: locators[3],
        isLast: locators[4],
        next: locators[5])
      refusal = try Self.refusal(&reader)
    } catch { throw Failure() }
    guard reader.isAtEnd else { throw Failure() }
    confidence = .certain
    isWhole = false
    startsHere = true
  }

  // MARK: Style

  private func write(_ style: Style, to writer: inout ByteWriter) {
    switch style {
    case .page(let page):
      writer.write(byte: 0)
      writer.write(page.page)
      writer.write(signed: page.first)
      writer.write(page.size)
    case .offset(let offset):
      writer.write(byte: 1)
      writer.write(offset.offset)
      writer.write(signed: offset.first)
      writer.write(offset.prefix)
      writer.write(offset.size)
    case .token(let token):
      writer.write(byte: 2)
      switch token.sending {
      case .at(let placement): writer.write(placement)
      case .membersInQuery: writer.write(byte: 0xFE)
      case .membersInForm: writer.write(byte: 0xFF)
      }
      writer.write(optional: token.first)
      writer.write(token.size)
      writer.write(byte: (token.goesAlone ? 1 : 0) | (token.endsByRepeating ? 2 : 0))
    case .link(let link):
      writer.write(byte: 3)
      writer.write(link.relation)
      writer.write(link.hosts)
    case .nextURL(let next):
      writer.write(byte: 4)
      writer.write(next.hosts)
    case .keyset(let keyset):
      writer.write(byte: 5)
      writer.write(keyset.sending)
      writer.write(keyset.key?.text ?? "")
      writer.write(signed: keyset.step)
      writer.write(optional: keyset.first)
      writer.write(keyset.size)
    case .range(let range):
      writer.write(byte: 6)
      writer.write(range.field)
      writer.write(range.unit)
      writer.write(UInt64(range.size))
    case .graphql(let connection):
      writer.write(byte: 7)
      writer.write(connection.at.text)
      writer.write(connection.after)
      writer.write(connection.size)
    default: writer.write(byte: 8)
    }
  }

  private static func style(
    _ reader: inout ByteReader, _ hosts: TrustedHosts
  ) throws(ByteReader.Malformed) -> Style {
    switch try reader.byte() {
    case 0:
      .page(
        PageNumber(
          page: try reader.placement(), first: try reader.signed(within: Place.maximumIndex),
          size: try reader.size(),
          ending: .counted))
    case 1:
      .offset(
        Offset(
          offset: try reader.placement(), first: try reader.signed(within: Place.maximumIndex),
          prefix: try reader.text(), size: try reader.size(), ending: .counted))
    case 2: .token(try token(&reader))
    case 3:
      .link(LinkRelation(relation: try reader.text(), size: nil, hosts: try reader.hosts(beside: hosts)))
    case 4: .nextURL(NextURL(size: nil, hosts: try reader.hosts(beside: hosts)))
    case 5:
      .keyset(
        Keyset(
          sending: try reader.placement(), key: try reader.pointer(),
          step: try reader.signed(within: 1), first: try reader.optionalText(), size: try reader.size(),
          ending: .keyed))
    case 6:
      .range(
        ItemRange(
          field: try reader.text(), unit: try reader.text(),
          size: try reader.number(upTo: Place.maximumPageSize),
          ending: .counted))
    case 7:
      .graphql(
        Connection(at: try reader.pointer(), after: try reader.placement(), size: try reader.size()))
    case 8: .whole(Whole())
    default: throw ByteReader.Malformed()
    }
  }

  private static func token(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> Token {
    let sending: Token.Sending
    switch try reader.byte() {
    case 0xFE: sending = .membersInQuery
    case 0xFF: sending = .membersInForm
    case let kind: sending = .at(try reader.placement(kind))
    }
    let first = try reader.optionalText()
    let size = try reader.size()
    let flags = try reader.byte()
    guard flags < 4 else { throw ByteReader.Malformed() }
    return Token(
      sending: sending, first: first, size: size, goesAlone: flags & 1 != 0, endsByRepeating: flags & 2 != 0)
  }

  // MARK: Items and refusal

  private func write(_ place: ItemsPlace, to writer: inout ByteWriter) {
    writer.write(UInt64(place.at.count))
    for pointer in place.at { writer.write(pointer.text) }
    writer.write(optional: place.each?.text)
    writer.write(optional: place.order?.text)
    switch place.id {
    case .none: writer.write(byte: 0)
    case .key: writer.write(byte: 1)
    case .at(let pointers):
      writer.write(byte: 2)
      writer.write(UInt64(pointers.count))
      for pointer in pointers { writer.write(pointer.text) }
    }
    let shapes: [ItemsPlace.Shape] = [.any, .array, .map, .single, .groups]
    let absences: [ItemsPlace.Absence] = [.judged, .empty, .fault]
    writer.write(byte: UInt8(shapes.firstIndex(of: place.shape) ?? 0))
    writer.write(byte: UInt8(absences.firstIndex(of: place.absence) ?? 0))
    writer.write(byte: place.allowsEmptyBody ? 1 : 0)
    if case .lines(let trailers) = place.format {
      writer.write(UInt64(trailers + 1))
    } else {
      writer.write(0 as UInt64)
    }
  }

  private static func items(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> ItemsPlace {
    let at = try reader.pointers()
    let each = try reader.optionalPointer()
    let order = try reader.optionalPointer()
    let id: ItemsPlace.Identity
    switch try reader.byte() {
    case 0: id = .none
    case 1: id = .key
    case 2: id = .at(try reader.pointers())
    default: throw ByteReader.Malformed()
    }
    let shapes: [ItemsPlace.Shape] = [.any, .array, .map, .single, .groups]
    let absences: [ItemsPlace.Absence] = [.judged, .empty, .fault]
    let (shape, absence) = (Int(try reader.byte()), Int(try reader.byte()))
    guard shape < shapes.count, absence < absences.count else { throw ByteReader.Malformed() }
    let allowsEmptyBody = try reader.byte() == 1
    let lines = try reader.number(upTo: 17)
    return ItemsPlace(
      at: at, each: each, id: id, shape: shapes[shape], order: order, absence: absences[absence],
      allowsEmptyBody: allowsEmptyBody, format: lines == 0 ? .json : .lines(trailers: lines - 1))
  }

  private func write(_ refusal: Refusal?, to writer: inout ByteWriter) {
    guard let refusal else { return writer.write(byte: 0) }
    let values: [Scalar]
    let kind: UInt8
    switch refusal.test {
    case .isAny(let scalars): (kind, values) = (1, scalars)
    case .isNone(let scalars): (kind, values) = (2, scalars)
    case .present: (kind, values) = (3, [])
    default: (kind, values) = (4, [])
    }
    writer.write(byte: kind)
    let when: Locator? = refusal.when
    writer.write(optional: when?.text)
    writer.write(optional: refusal.code?.text)
    writer.write(UInt64(refusal.message.count))
    for message in refusal.message { writer.write(optional: message.text) }
    writer.write(UInt64(values.count))
    for value in values {
      if case .text(let text) = value {
        writer.write(optional: text)
      } else {
        writer.write(optional: nil as String?)
      }
    }
  }

  private static func refusal(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> Refusal? {
    let kind = try reader.byte()
    if kind == 0 { return nil }
    guard kind <= 4, let when = try reader.locator() else { throw ByteReader.Malformed() }
    let code = try reader.locator()
    var message: [Locator] = []
    for _ in 0..<(try reader.number(upTo: 8)) {
      guard let place = try reader.locator() else { throw ByteReader.Malformed() }
      message.append(place)
    }
    var values: [Scalar] = []
    for _ in 0..<(try reader.number(upTo: 100)) {
      values.append(try reader.optionalText().map { .text($0) } ?? .null)
    }
    let test: Refusal.Test =
      switch kind {
      case 1: .isAny(values)
      case 2: .isNone(values)
      case 3: .present
      default: .absent
      }
    return Refusal(when: when, test: test, code: code, message: message, cases: [])
  }
}
