/// The `Accept` field (RFC 9110 §12.5.1).
package enum Accept {
  /// Whether the client asks for problem details (RFC 9457) instead of plain JSON: it names
  /// `application/problem+json`, and gives it more weight than JSON, or the same and names it first.
  package static func prefersProblemJSON(_ field: Span<UInt8>) -> Bool {
    guard let problem = preference(for: "application/problem+json", "", in: field), problem.isNamed,
      problem.weight > 0
    else { return false }
    guard let json = preference(for: "application/json", "application/*", in: field), json.weight > 0 else {
      return true
    }
    return problem.weight > json.weight || problem.weight == json.weight && problem.position < json.position
  }

  /// The weight, 0 to 1000, that the client gives to `type`, of which `family` is the wildcard (`text/html`, `text/*`).
  /// The most specific range counts. 1000 for an empty field.
  package static func weight(of type: StaticString, family: StaticString, in field: Span<UInt8>) -> Int {
    var list = WeightedList()
    guard list.next(in: field) != nil else { return 1_000 }
    return preference(for: type, family, in: field)?.weight ?? 0
  }

  private struct Preference {
    var weight: Int
    var position: Int
    var specificity: Int
    var isNamed: Bool { specificity == 2 }
  }

  private static func preference(
    for type: StaticString, _ family: StaticString, in field: Span<UInt8>
  ) -> Preference? {
    var best: Preference?
    var position = 0
    var list = WeightedList()
    while let element = list.next(in: field) {
      let specificity: Int? =
        if field.matches(type, in: element.value) { 2 } else if field.matches(family, in: element.value) {
          1
        } else if field.matches("*/*", in: element.value) { 0 } else { nil }
      if let specificity, specificity > best?.specificity ?? -1 {
        best = Preference(weight: element.weight, position: position, specificity: specificity)
      }
      position += 1
    }
    return best
  }
}
