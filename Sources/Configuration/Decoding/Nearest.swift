/// Finds the word that was probably meant.
enum Nearest {
  /// The closest of `words` to `text`, the first of equals, or nil where none is close.
  ///
  /// Case and the separators `_ - . /` do not count, so `page_count` is `pageCount`; else one edit in every three
  /// letters may differ (insertion, deletion, substitution, transposition: optimal string alignment), or one may be how
  /// the other begins, so `int` is `integer`.
  static func word(to text: String, of words: some Sequence<String>) -> String? {
    let wanted = simplified(text)
    guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
    var best: (word: String, cost: Int, distance: Int)?
    for word in words {
      let candidate = simplified(word)
      let distance = distance(wanted, candidate)
      let shorter = min(wanted.count, candidate.count)
      let isBeginning = shorter >= 3 && (wanted.starts(with: candidate) || candidate.starts(with: wanted))
      let cost = isBeginning ? min(distance, 1) : distance
      guard cost <= max(1, max(wanted.count, candidate.count) / 3), cost == 0 || cost < shorter else {
        continue
      }
      if let best, (best.cost, best.distance) <= (cost, distance) { continue }
      best = (word, cost, distance)
    }
    return best?.word
  }

  private static func simplified(_ text: String) -> [UInt8] {
    text.lowercased().utf8.filter { byte in !"_-./ ".utf8.contains(byte) }
  }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
