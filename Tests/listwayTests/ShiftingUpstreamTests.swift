import Foundation
import JSON
import TestSupport
import Testing

/// A real list server whose list moves between any two requests, walked through the real program.
///
/// LISTWAY_SHIFT_SEEDS says how many lists there are of each kind, and counts what a walk loses that looks for nothing, too;
/// 2 otherwise.
@Suite("A list server whose list moves", .serialized)
struct ShiftingUpstreamTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let style: String
    let `where`: String
    var testDescription: String { "\(style), moving \(`where`)" }

    static let all = ["page", "offset", "keyset"].flatMap { style in
      ["top", "anywhere"].map { Kind(style: style, where: $0) }
    }
  }

  static let program = Shared.folder.appendingPathComponent("tools/shifting-upstream").path
  static let isThere = Shared.exists("tools/shifting-upstream")
  static let asked = ProcessInfo.processInfo.environment["LISTWAY_SHIFT_SEEDS"].flatMap { Int($0) }
  static let seedCount = asked ?? 2

  private func configuration(_ kind: Kind, port: UInt16) -> String {
    let paging =
      switch kind.style {
      case "page":
        """
        paging: {style: page, page: {query: page}, size: {query: pageSize, value: 20}, shifts: SHIFTS}
            items: {at: /list, id: /id}
            says: {total: /total, page: /page, pageCount: /pageCount}
        """
      case "offset":
        """
        paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 20}, shifts: SHIFTS}
            items: {at: /items, id: /id}
            says: {total: /total}
        """
      default:
        """
        paging: {style: keyset, keyset: {query: before, key: /id}, size: {query: limit, value: 20}, shifts: SHIFTS}
            items: {at: /items, id: /id}
            says: {hasMore: /has_more}
        """
      }
    let lists = ["exact", "watch", "\"off\""].map { shifts in
      """
        \(shifts.replacing("\"", with: "")):
          upstream: shifting
          request: {path: /items}
          \(paging.replacing("SHIFTS", with: shifts))
          maxLimit: 200
      """
    }
    return "upstreams: {shifting: {url: \"http://127.0.0.1:\(port)\"}}\nlists:\n"
      + lists.joined(separator: "\n") + "\n"
  }

  /// How many walks fell short, and of how many steady items.
  private struct Count {
    var walks = 0
    var requests = 0
    var doubled = 0
    var disordered = 0
    var falling = 0
    var missing = 0
    var steady = 0
  }

  @Test(
    "exact gives every steady item once and in order, watch nothing twice", arguments: Kind.all)
  func walked(kind: Kind) throws {
    guard Self.isThere else {
      print("../shared/tools/shifting-upstream is not there: skipped")
      return
    }
    let port = freePort()
    let upstream = try Child(
      "/usr/bin/env", ["python3", Self.program, "\(port)", "--style", kind.style, "--where", kind.where])
    defer { upstream.terminate() }
    try waitForListener(port: port)
    let service = try Service(configuration(kind, port: port), loops: 1)
    let control = try TestClient(port: port)
    for shifts in Self.asked == nil ? ["exact", "watch"] : ["exact", "watch", "off"] {
      var count = Count()
      for seed in 1...Self.seedCount {
        _ = try control.request("GET", "/reset?seed=\(seed)")
        let limit = [7, 20, 33, 100][seed % 4]
        let ids = try service.walk("/v1/lists/\(shifts)", limit: limit).compactMap { item in
          Int(item.dropFirst(#"{"id": "#.count).prefix(while: \.isNumber))
        }
        let truth = try Truth(try control.request("GET", "/truth").body)
        count.walks += 1
        count.requests += truth.requests
        count.steady += truth.steady.count
        if Set(ids).count != ids.count { count.doubled += 1 }
        #expect(truth.ever.isSuperset(of: ids), "seed \(seed)")
        let got = ids.filter(Set(truth.steady).contains)
        let missing = Set(truth.steady).subtracting(got).count
        count.missing += missing
        if missing > 0 { count.falling += 1 }
        var seen: Set<Int> = []
        let firsts = got.filter { seen.insert($0).inserted }
        if firsts != truth.steady.filter(seen.contains) { count.disordered += 1 }
        if shifts == "exact" { #expect(got == truth.steady, "seed \(seed), limit \(limit)") }
      }
      if shifts != "off" { #expect(count.doubled == 0 && count.disordered == 0) }
      if shifts == "watch", kind.style == "keyset" { #expect(count.missing == 0) }
      print(
        "\(kind.testDescription), \(shifts): \(count.walks) walks of \(count.requests / count.walks) requests; "
          + "twice \(count.doubled), out of order \(count.disordered), short \(count.falling), "
          + "missing \(count.missing) of \(count.steady) items")
    }
  }

  private struct Truth {
    let steady: [Int]
    let ever: Set<Int>
    let requests: Int

    init(_ body: [UInt8]) throws {
      let document = try Parser(maximumDepth: 8).parse(Bytes(copying: body))
      func numbers(_ name: String) -> [Int] {
        document.value(named: name, in: document.root).map { array in
          document.elements(of: array).compactMap { document.integer(of: $0) }
        } ?? []
      }
      steady = numbers("steady")
      ever = Set(numbers("ever"))
      requests =
        document.value(named: "requests", in: document.root).flatMap { document.integer(of: $0) } ?? 0
    }
  }
}
