import Glibc
import HTTPSemantics
import JSON
import Paging

// Run by Tests/Benchmarks/run, beside whole requests for the same pages.

/// Measures what the gateway does to an answer's body before a walk gets the page: validating it, cutting it into items with
/// their ids, and, for lists whose paging is `auto`, recognising the first of a walk.
///
///     benchmark-slicing FILE…     answers of a list with its items at /list, their ids at /id and a total
///     {"validate":12.3,"slice":4.5,"recognise":67.8}
///
/// In microseconds of CPU a page, each the least of several rounds.
@main
enum Slicing {
  private static let roundCount = 15
  private static let pagesInRound = 400

  static func main() throws {
    let bodies = CommandLine.arguments.dropFirst().compactMap { contents(of: $0) }
    guard !bodies.isEmpty else { fatalError("no page is given") }
    let parser = Parser(maximumDepth: 256)
    let list = try ItemsPlace.usual(at: Pointer("/list"), id: .at([Pointer("/id")]))
    let plan = WalkPlan(
      style: .page(
        PageNumber(
          page: .query("page"), first: 1, size: PageSize(placement: .query("pageSize"), value: 100),
          ending: .counted)),
      items: list,
      says: Says(
        total: .body(try Pointer("/total")), pageCount: nil, page: nil, hasMore: nil, isLast: nil, next: nil),
      refusal: nil, shifts: .watch, limits: .defaults)
    let normaliser = Normaliser(plan: plan)
    let target = Array("/items?page=1&pageSize=100".utf8)
    let request = SentRequest(target: target, form: nil, json: nil)
    let hosts = TrustedHosts(own: "shop.example", aliases: [])

    let validation = try time(bodies) { body in try parser.parse(body).count }
    let page = try time(bodies) { body in
      try normaliser.page(ofBody: body, parser: parser, status: 200, fields: Fields(), target: target)
        .rawCount
    }
    let recognition = try time(bodies) { body in
      let found = Recogniser.recognise(
        body: body, parser: parser, status: 200, fields: Fields(), request: request, hosts: hosts,
        declared: .nothing)
      return found.missing.count
    }
    print(
      #"{"validate":\#(validation),"slice":\#(max(0, page - validation)),"recognise":\#(max(0, recognition - validation))}"#
    )
  }

  /// - Returns: microseconds of CPU for one of `bodies`.
  private static func time(_ bodies: [Bytes], _ work: (Bytes) throws -> Int) rethrows -> Double {
    var least = Double.infinity
    var sum = 0
    for _ in 0..<roundCount {
      let start = microseconds()
      for index in 0..<pagesInRound { sum += try work(bodies[index % bodies.count]) }
      least = min(least, (microseconds() - start) / Double(pagesInRound))
    }
    // So that nothing can be left out.
    if sum < 0 { print(sum) }
    return (least * 100).rounded() / 100
  }

  private static func microseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  private static func contents(of path: String) -> Bytes? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return Bytes(copying: bytes) }
      bytes += chunk[..<count]
    }
  }
}

extension Document {
  fileprivate var count: Int { count(of: root) }
}
