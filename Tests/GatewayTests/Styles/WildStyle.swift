import Foundation
import HTTPSemantics
import Testing

@testable import Gateway

/// A way to page that is in use somewhere: the list's configuration, and an upstream of that kind.
///
/// Its pages hold 20 items at most. Ids fall from the first item to the last, by one, unless `ascends`.
struct WildStyle: Sendable, CustomTestStringConvertible {
  typealias Upstream = @Sendable (Asked, [Int]) -> Harness.Outcome

  let name: String
  /// What the list's configuration says, as one line of YAML a key.
  let list: String
  var ascends = false
  /// Warnings that this style's ending cannot do without.
  var allows: Set<String> = []
  /// Whether a slice is whole pages, whatever was asked for.
  var isWholePages = false
  /// Made for each walk, so that it may remember what it was asked.
  let upstream: @Sendable () -> Upstream

  var testDescription: String { name }

  init(
    _ name: String, _ list: String, ascends: Bool = false, allows: Set<String> = [],
    isWholePages: Bool = false, answer: @escaping Upstream
  ) {
    self.init(name, list, ascends: ascends, allows: allows, isWholePages: isWholePages) { answer }
  }

  init(
    _ name: String, _ list: String, ascends: Bool = false, allows: Set<String> = [],
    isWholePages: Bool = false, making upstream: @escaping @Sendable () -> Upstream
  ) {
    self.name = name
    self.list = list
    self.ascends = ascends
    self.allows = allows
    self.isWholePages = isWholePages
    self.upstream = upstream
  }

  var configuration: String {
    let lines = list.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
    return """
      upstreams: {api: {url: "http://127.0.0.1:1"}}
      lists:
        things:
          upstream: api
          maxLimit: 200
      \(lines)
      """
  }

  /// The ids of a list of `count` items, in its order.
  func ids(_ count: Int) -> [Int] {
    let ids = Array(1..<count + 1)
    return ascends ? ids : ids.reversed()
  }

  static let size = 20

  static func item(_ id: Int) -> String { #"{"id":\#(id),"t":\#(1_700_000_000 + id * 60),"n":"№ \#(id)"}"# }

  /// A field, where there is a value.
  static func field(_ name: FieldName, _ value: String?) -> [(FieldName, String)] {
    value.map { [(name, $0)] } ?? []
  }

  static func array(_ ids: some Sequence<Int>) -> String {
    "[\(ids.map { item($0) }.joined(separator: ","))]"
  }
}

extension [Int] {
  /// The page that starts at an index.
  func page(from index: Int, size: Int = WildStyle.size) -> [Int] { Array(dropFirst(index).prefix(size)) }
}
