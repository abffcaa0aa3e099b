/// The `Accept-Language` field (RFC 9110 §12.5.4), matched by look-up (RFC 4647 §3.4).
package enum AcceptLanguage {
  /// Chooses among the languages that there are.
  ///
  /// A range matches the tag it equals or extends: `zh-CN` and `zh-Hans` find `zh`. `zh` finds `zh-Hant` also, for want
  /// of a plainer one. `*` stands for the first tag that the field does not name. Of equal weights the earlier range wins.
  /// - Parameter tags: in lower case, the default first; not empty.
  /// - Returns: an index into `tags`; 0 when nothing matches.
  package static func choose(_ field: Span<UInt8>, among tags: [StaticString]) -> Int {
    var best = (index: 0, weight: 0)
    var starWeight = 0
    var named: UInt64 = 0
    var list = WeightedList()
    while let element = list.next(in: field) {
      if element.value.count == 1, field[element.value.lowerBound] == UInt8(ascii: "*") {
        starWeight = max(starWeight, element.weight)
        continue
      }
      guard let index = match(field, element.value, tags) else { continue }
      named |= 1 << UInt64(index)
      if element.weight > best.weight { best = (index, element.weight) }
    }
    if starWeight > best.weight, let index = tags.indices.first(where: { named >> UInt64($0) & 1 == 0 }) {
      return index
    }
    if best.weight > 0 { return best.index }
    // Nothing is wanted; what is at least not refused comes first.
    return tags.indices.first { named >> UInt64($0) & 1 == 0 } ?? 0
  }

  private static func match(_ field: Span<UInt8>, _ range: Range<Int>, _ tags: [StaticString]) -> Int? {
    var end = range.upperBound
    while end > range.lowerBound {
      if let index = tags.indices.first(where: { field.matches(tags[$0], in: range.lowerBound..<end) }) {
        return index
      }
      repeat { end -= 1 } while end > range.lowerBound && field[end] != UInt8(ascii: "-")
    }
    return tags.indices.first { isPrefix(field, range, of: tags[$0]) }
  }

  private static func isPrefix(_ field: Span<UInt8>, _ range: Range<Int>, of tag: StaticString) -> Bool {
    guard range.count < tag.utf8CodeUnitCount, unsafe tag.utf8Start[range.count] == UInt8(ascii: "-") else {
      return false
    }
    for offset in 0..<range.count
    where unsafe field[range.lowerBound + offset].lowercased != tag.utf8Start[offset] {
      return false
    }
    return true
  }
}
