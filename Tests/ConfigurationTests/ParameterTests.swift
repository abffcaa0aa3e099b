import Configuration
import Testing

@Suite("Parameters")
struct ParameterTests {
  private static func parameter(
    _ kind: Parameter.Kind, allowed: [String] = [], min: String? = nil, max: String? = nil,
    lengths: ClosedRange<Int> = 0...8
  ) -> Parameter {
    func value(_ text: String) -> ParameterValue? { ParameterValue(Array(text.utf8), kind: kind) }
    return Parameter(
      name: "p", kind: kind, isRequired: false, defaultValue: nil, allowed: allowed.compactMap(value),
      minimum: min.flatMap(value), maximum: max.flatMap(value), minLength: lengths.lowerBound,
      maxLength: lengths.upperBound, description: nil)
  }

  private static func accepts(_ parameter: Parameter, _ text: String) -> Bool {
    parameter.value(of: Array(text.utf8)[...]) != nil
  }

  @Test(
    "a kind takes its own texts",
    arguments: [
      (Parameter.Kind.integer, ["0", "7", "-12", "9007199254740993", "18446744073709551616"]),
      (.number, ["0", "-1.50", "1e3", "1E-3", "12345678901234567890"]),
      (.boolean, ["true", "false"]),
      (.date, ["2024-02-29", "1999-12-31"]),
      (.string, ["", "a b", "日本語"]),
    ])
  func takes(_ kind: Parameter.Kind, _ texts: [String]) {
    for text in texts { #expect(Self.accepts(Self.parameter(kind), text), "\(text)") }
  }

  @Test(
    "and no others",
    arguments: [
      (
        Parameter.Kind.integer,
        ["", "-", "-0", "007", "+1", "1.0", "1e3", " 1", "0x1F", "１", String(repeating: "9", count: 60)]
      ),
      (.number, ["", ".5", "1.", "1e", "0x1", "NaN", "1e999", "-", "01", String(repeating: "1", count: 65)]),
      (.boolean, ["", "TRUE", "yes", "1"]),
      (
        .date,
        ["", "2023-02-29", "2024-13-01", "2024-1-01", "20240101", "2024-01-01T00:00:00Z", "2024-01-0x"]
      ),
      (.string, ["123456789", "a\u{0}b"]),
    ])
  func refuses(_ kind: Parameter.Kind, _ texts: [String]) {
    for text in texts { #expect(!Self.accepts(Self.parameter(kind), text), "\(text)") }
  }

  @Test("bytes that are not UTF-8 are no string")
  func invalidText() { #expect(Self.parameter(.string).value(of: [0x61, 0xFF]) == nil) }

  @Test("bounds hold, exactly")
  func bounds() {
    let large = Self.parameter(.integer, min: "9007199254740992", max: "9007199254740994")
    #expect(!Self.accepts(large, "9007199254740991"))
    #expect(Self.accepts(large, "9007199254740993"))
    #expect(!Self.accepts(large, "9007199254740995"))
    let days = Self.parameter(.date, min: "2024-01-31")
    #expect(!Self.accepts(days, "2023-12-31"))
    #expect(Self.accepts(days, "2024-02-01"))
    #expect(!Self.accepts(Self.parameter(.number, max: "0.5"), "5.1e-1"))
    let texts = Self.parameter(.string, lengths: 2...3)
    #expect(!Self.accepts(texts, "é"))
    #expect(Self.accepts(texts, "日本語"))
  }

  @Test("only the allowed are taken where some are named")
  func allowed() {
    let parameter = Self.parameter(.string, allowed: ["open", "closed"])
    #expect(Self.accepts(parameter, "open"))
    #expect(!Self.accepts(parameter, "Open"))
    #expect(parameter.expectation == "one of open, closed")
  }

  @Test("it says what it takes")
  func expectations() {
    #expect(Self.parameter(.integer, min: "1", max: "12").expectation == "a whole number from 1 to 12")
    #expect(Self.parameter(.integer, min: "1").expectation == "a whole number not below 1")
    #expect(Self.parameter(.date).expectation == "a date, YYYY-MM-DD")
    #expect(
      Self.parameter(.date, max: "2024-01-01").expectation == "a date, YYYY-MM-DD, not above 2024-01-01")
    #expect(Self.parameter(.string).expectation == "text of at most 8 characters")
    #expect(Self.parameter(.boolean).expectation == "true or false")
  }
}
