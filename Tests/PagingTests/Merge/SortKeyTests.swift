import JSON
import TestSupport
import Testing

@testable import Paging

/// Items are put in order exactly, whatever they are ordered by.
@Suite struct SortKeyTests {
  /// JSON values in ascending order; those of one group are equal.
  struct Ladder: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: SortOrder.Kind
    let groups: [[String]]
    var testDescription: String { name }
  }

  static let ladders = [
    Ladder(
      name: "numbers", kind: .number,
      groups: [
        ["-1e400"], ["-123456789012345678901234567890.5"], ["-123456789012345678901234567890"],
        ["-10", "-1e1"],
        ["-9.99"], ["-2"], ["-1.5"], ["-1.25"], ["-0.001", "-1e-3"], ["-1e-400"],
        ["0", "-0", "0.0", "-0.0e7", "0e999999999999999999999", "\"0\"", "\"-0.00\""], ["1e-400"], ["0.001"],
        ["0.1", "1e-1", "\"0.10\""], ["0.11"], ["1", "1.0", "\"1\"", "\"+1\"", "\"001\"", "10e-1"],
        ["1.10", "1.1", "\"1.1\""], ["9.99"], ["10"], ["99999", "99999.0"],
        ["100000", "1e5", "1E+5", "0.1e6"],
        ["100000.1"], ["9007199254740992"], ["9007199254740993"], ["9223372036854775807"],
        ["9223372036854775808"], ["123456789012345678901234567890"], ["123456789012345678901234567891"],
        ["1e400"], ["1e401"],
        ["null", "\"\"", "\"1,5\"", "\"abc\"", "\".5\"", "\"1.\"", "\"1e\"", "[1]", "true"],
      ]),
    Ladder(
      name: "times", kind: .time(zone: 8 * 3_600, epoch: .judged),
      groups: [
        ["\"0001-01-01T00:00:00Z\""], ["\"1969-12-31T23:59:58.5Z\"", "-1.5", "\"-1.50\"", "-15e-1"], ["-1.4"],
        ["-1", "\"1969-12-31T23:59:59Z\""], ["-0.000001"],
        ["0", "\"1970-01-01T00:00:00Z\"", "\"1970-01-01 08:00:00\"", "\"1970-01-01\"".zoned, "\"0\""],
        ["0.000000001"], ["1", "1.0", "\"1970-01-01T00:00:01+00:00\""],
        [
          "1709251199.999", "\"2024-02-29T23:59:59.999Z\"", "1709251199999", "\"1709251199999\"",
          "1709251199999.0",
        ],
        ["1709251199.9995", "1709251199999.5", "\"2024-03-01T08:59:59,9995+09:00\""],
        [
          "1709251200", "\"2024-03-01T00:00:00Z\"", "\"2024-03-01t00:00:00z\"", "\"2024-03-01 08:00:00\"",
          "\"2024/03/01 08:00\"", "\"2024-02-29T23:30:00-00:30\"", "\"2024-03-01T05:45:00+0545\"",
          "\"2024-03-01 08:00:00 +08\"", "\"2024-02-29T23:59:60Z\"", "1709251200000", "1709251200000000",
          "1709251200000000000", "1.7092512e9", "\"2024-03-01T00:00:00.000000000000Z\"",
        ],
        ["\"2024-03-01T00:00:00.000000000001Z\""], ["1709251200000000001"], ["\"2024-03-01T00:00:01Z\""],
        ["99999999999"],
        [
          "null", "\"\"", "\"soon\"", "\"2024-02-30T00:00:00Z\"", "\"2023-02-29\"",
          "\"2024-03-01T24:00:00Z\"",
          "\"2024-3-1\"", "\"2024-03-01T00:00:00.Z\"", "\"2024-03-01T00:00:00+8\"", "\"2024-03/01\"",
          "\"2024-03-01T00:00:00Zulu\"", "1e300", "{}",
        ],
      ]),
    Ladder(
      name: "milliseconds", kind: .time(zone: 0, epoch: .milliseconds),
      groups: [
        ["-1"], ["0", "\"1970-01-01T00:00:00Z\""], ["0.5"], ["1", "\"1970-01-01T00:00:00.001Z\""],
        ["1000", "\"1000\"", "\"1970-01-01T00:00:01Z\""], ["1000.25"], ["1709251200000"],
      ]),
    Ladder(
      name: "seconds", kind: .time(zone: -3 * 3_600, epoch: .seconds),
      groups: [
        ["0"], ["10800", "\"1970-01-01 00:00:00\""], ["1709251200"], ["1709251200000"],
        ["999999999999999999"],
        ["1000000000000000000", "null"],
      ]),
    Ladder(
      name: "texts", kind: .text,
      groups: [
        [#""""#], [#""\u0000""#], [#""\u0000a""#], [#""\u0001""#], [#""10""#, "10"], [#""9""#, "9"],
        [#""A""#],
        [#""Z""#], [#""a""#, #""\u0061""#], [#""a\u0000""#], [#""ab""#], [#""b""#], [#""true""#, "true"],
        [#""é""#, #""\u00e9""#], [#""😀""#, #""\ud83d\ude00""#], ["null", "[]", "{}"],
      ]),
  ]

  @Test("values come in the order of what they stand for", arguments: ladders)
  func order(ladder: Ladder) {
    let keys = ladder.groups.map { group in group.map { SortKey.model($0, ladder.kind) } }
    for (index, group) in keys.enumerated() {
      for (text, key) in zip(ladder.groups[index], group) {
        #expect(key == group[0], "\(text) is not \(ladder.groups[index][0])")
      }
      for later in (index + 1)..<max(index + 1, keys.count) {
        #expect(group[0] < keys[later][0], "\(ladder.groups[index][0]) before \(ladder.groups[later][0])")
        #expect(!(keys[later][0] < group[0]))
      }
    }
  }

  @Test(
    "a descending order is the other way round, and what has no key is last all the same", arguments: ladders)
  func descending(ladder: Ladder) {
    let firsts = ladder.groups.map { $0[0] }
    let missing = ladder.groups.last!.contains("null") ? firsts.count - 1 : firsts.count
    let keys = firsts.map { SortKey.model($0, ladder.kind, isDescending: true) }
    for index in 0..<missing {
      for later in (index + 1)..<max(index + 1, missing) {
        #expect(keys[later] < keys[index], "\(firsts[later]) before \(firsts[index])")
      }
      if missing < firsts.count, index < missing { #expect(keys[index] < keys[missing]) }
    }
  }

  @Test("random numbers are compared exactly, however they are spelled")
  func randomNumbers() {
    var random = SeededRandom(seed: 9)
    for _ in 0..<3_000 {
      let (left, right) = (
        Int.random(in: -1_000...1_000, using: &random), Int.random(in: -1_000...1_000, using: &random)
      )
      let scale = Int.random(in: -30...30, using: &random)
      // The same power of ten for both, written in different places.
      let split = Int.random(in: 0...3, using: &random)
      let one = SortKey.model("\(left)e\(scale)", .number)
      let other = SortKey.model("\(right)\(String(repeating: "0", count: split))e\(scale - split)", .number)
      #expect(
        (one < other) == (left < right) && (one == other) == (left == right), "\(left) \(right) \(scale)")
    }
  }

  @Test("several keys count in turn, each in its own direction")
  func several() throws {
    let order = SortOrder([
      .init(.text, isDescending: false), .init(.number, isDescending: true),
      .init(.text, isDescending: false),
    ])
    let pointers = try ["/a", "/b", "/c"].map { try Pointer($0) }
    let items = [
      #"{"a":"","b":1,"c":"x"}"#, #"{"a":"k","b":20}"#, #"{"a":"k","b":3,"c":"a"}"#,
      #"{"a":"k","b":3,"c":"ab"}"#,
      #"{"a":"k","b":3}"#, #"{"a":"k"}"#, #"{"a":"k\u0000","b":99}"#, #"{"a":"ka","b":99}"#,
      #"{"b":99,"c":"a"}"#,
      #"{"a":null,"b":98}"#, "{}",
    ]
    let parser = Parser(maximumDepth: 8)
    let keys = try items.map { order.key(of: try parser.parse(Bytes(copying: Array($0.utf8))), at: pointers) }
    for (index, pair) in zip(keys, keys.dropFirst()).enumerated() {
      #expect(pair.0 < pair.1, "\(items[index]) before \(items[index + 1])")
    }
  }

  @Test("a kept key never tells of an order that the whole one does not")
  func kept() {
    let long = String(repeating: "7", count: 60)
    let keys = ["1", "\(long)1", "\(long)2", "8"].map { SortKey.model($0, .number) }
    #expect(keys[1].kept.bytes.count == SortKey.keptByteCount)
    #expect(keys[0].certainlyPrecedes(keys[1].kept) && !keys[1].certainlyPrecedes(keys[0].kept))
    #expect(!keys[1].certainlyPrecedes(keys[2].kept) && !keys[2].certainlyPrecedes(keys[1].kept))
    #expect(!keys[1].certainlyPrecedes(keys[1].kept))
  }
}

extension String {
  /// A date alone, which is midnight in the zone, as the same time in UTC.
  fileprivate var zoned: String { self == "\"1970-01-01\"" ? "\"1970-01-01T08:00:00+08:00\"" : self }
}
