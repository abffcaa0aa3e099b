import JSON

/// A ``Scalar`` made ready for comparing.
struct Comparand: Sendable {
  private let isNull: Bool
  private let text: [UInt8]
  private let number: Double?

  init(_ scalar: Scalar) {
    switch scalar {
    case .null: (isNull, text, number) = (true, [], nil)
    case .text(let text): (isNull, self.text, number) = (false, Array(text.utf8), Comparand.number(text))
    }
  }

  /// Whether what was found is this value: the same text, or the same number. What is absent is no value.
  func matches(_ finding: Finding, _ document: Document) -> Bool {
    switch finding {
    case .nothing: false
    case .text(let found): matches(found)
    case .node(let node):
      if isNull {
        document.isNull(node)
      } else {
        document.text(of: node, equals: text) || document.text(of: node).map { isSameNumber($0) } ?? false
      }
    }
  }

  func matches(_ found: [UInt8]) -> Bool {
    !isNull && (found == text || isSameNumber(String(decoding: found, as: UTF8.self)))
  }

  private func isSameNumber(_ other: String) -> Bool { number.map { $0 == Comparand.number(other) } ?? false }

  /// A number of so few digits that a Double tells it from any other.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.count <= 15, let first = text.utf8.first,
      first == UInt8(ascii: "-") || first &- 0x30 < 10,
      !text.utf8.contains(UInt8(ascii: "x"))
    else { return nil }
    return Double(text)
  }
}
