/// A walk over a list of preferences with weights, `gzip;q=0.5, br` (RFC 9110 §12.4.2).
struct WeightedList {
  struct Element {
    /// The value before the first `;`, without white space.
    let value: Range<Int>
    /// 0 to 1000: the weight in thousandths. A weight that cannot be read counts as 0.
    let weight: Int
  }

  private var list = FieldList()

  mutating func next(in field: Span<UInt8>) -> Element? {
    while let element = list.next(in: field) {
      let semicolon = field.firstIndex(of: UInt8(ascii: ";"), in: element)
      let value = field.trimmed(element.lowerBound..<(semicolon ?? element.upperBound))
      if value.isEmpty { continue }
      guard let semicolon else { return Element(value: value, weight: 1_000) }
      return Element(value: value, weight: Self.weight(field, semicolon + 1..<element.upperBound))
    }
    return nil
  }

  private static func weight(_ field: Span<UInt8>, _ parameters: Range<Int>) -> Int {
    var list = FieldList(from: parameters.lowerBound)
    while let parameter = list.next(in: field, separator: UInt8(ascii: ";"), end: parameters.upperBound) {
      guard let equals = field.firstIndex(of: UInt8(ascii: "="), in: parameter) else { continue }
      let name = field.trimmed(parameter.lowerBound..<equals)
      if field.matches("q", in: name) {
        return thousandths(field, field.trimmed(equals + 1..<parameter.upperBound)) ?? 0
      }
    }
    return 1_000
  }

  /// `qvalue`: 0 or 1, with up to three digits after the point.
  private static func thousandths(_ field: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard (1...5).contains(range.count), field[range.lowerBound].isDigit else { return nil }
    var value = Int(field[range.lowerBound] &- 0x30) * 1_000
    if range.count > 1 {
      guard field[range.lowerBound + 1] == UInt8(ascii: ".") else { return nil }
      var unit = 100
      for index in range.lowerBound + 2..<range.upperBound {
        guard field[index].isDigit else { return nil }
        value += Int(field[index] &- 0x30) * unit
        unit /= 10
      }
    }
    return value <= 1_000 ? value : nil
  }
}
