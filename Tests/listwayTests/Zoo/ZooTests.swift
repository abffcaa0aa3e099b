import JSON
import TestSupport
import Testing

@Suite("Real list servers", .serialized)
struct ZooTests {
  @Test(
    "every list of every server is walked whole: nothing missing, doubled, out of order or changed",
    .enabled(if: Zoo.isAskedFor, "LISTWAY_TEST_ZOO does not name servers of ../shared/zoo: skipped"),
    arguments: Zoo.servers)
  func walks(server: String) throws {
    let zoo = try Zoo(server)
    defer { zoo.stop() }
    let all = ZooLists.of(server)
    let service = try Service(configuration(of: all, port: zoo.port))
    for kind in all {
      for list in kind.lists {
        let truth = try CanonicalJSON.elements(zoo.truth(of: kind.truth.replacing("{}", with: list.name)))
        #expect(truth.count == list.count)
        for limit in limits(for: list.count, of: kind) {
          let walk = try ListWalk("/v1/lists/\(kind.name)-\(list.name)", port: service.port, limit: limit)
          let difference = try walk.difference(from: truth) {
            try CanonicalJSON.text($0, members: kind.members)
          }
          #expect(difference == nil, "\(kind.name)-\(list.name) with a limit of \(limit)")
          let outcome = difference == nil ? "right" : "WRONG"
          print(
            "zoo \(server) \(kind.name)-\(list.name) limit \(limit): \(outcome), \(walk.items.count) items in "
              + "\(walk.sliceCount) slices \(walk.warnings.sorted())")
        }
      }
    }
    try coverage(of: all, zoo)
  }

  private func limits(for count: Int, of kind: ZooLists) -> [Int] {
    count <= 200 || kind.isWalkedOneByOne || Zoo.isSlow ? [1, 7, 20, 500] : [7, 20, 500]
  }

  private func configuration(of all: [ZooLists], port: UInt16) -> String {
    var text = "upstreams: {zoo: {url: \"http://127.0.0.1:\(port)\", timeout: {total: 60s}}}\nlists:\n"
    for kind in all {
      for list in kind.lists {
        text += "  \(kind.name)-\(list.name):\n    upstream: zoo\n    maxLimit: 500\n"
        for line in kind.configuration.replacing("{}", with: list.name).split(separator: "\n") {
          text += "    \(line)\n"
        }
      }
    }
    return text
  }

  /// Whether no list of the server was left out.
  private func coverage(of all: [ZooLists], _ zoo: Zoo) throws {
    let document = try Parser(maximumDepth: 300).parse(Bytes(copying: Array(zoo.lists().utf8)))
    let theirs = document.members(of: document.root).map { name, list in
      document.value(named: "truth", in: list).flatMap { document.text(of: $0) } ?? name.text
    }
    let walked = all.flatMap { kind in kind.lists.map { kind.truth.replacing("{}", with: $0.name) } }
    #expect(!theirs.isEmpty)
    #expect(Set(theirs) == Set(walked))
  }
}
