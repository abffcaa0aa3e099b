import TestSupport
import Testing

/// The real program in front of real list servers that other people wrote, installed by `Tests/Upstreams/install`.
@Suite(
  "Real upstreams", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: RunningUpstream.python.path != nil, "\(RunningUpstream.python.reason)"))
struct UpstreamsTests {
  @Test("every list comes whole, in order and byte for byte, with every limit", arguments: UpstreamServer.all)
  func walks(server: UpstreamServer) throws {
    let upstream = try RunningUpstream(server)
    defer { upstream.stop() }
    let service = try Service(server.configuration(port: upstream.port))
    for kind in server.kinds {
      for (name, items) in kind.lists {
        // Each slice asks for a page, so that the long lists take a thousand requests with a limit of 1.
        for limit in items.count < 10 ? [1, 7, 20, 500] : [7, 20, 500] {
          let walk = try ListWalk("/v1/lists/\(kind.name)-\(name)", port: service.port, limit: limit)
          let difference = walk.difference(from: items)
          #expect(difference == nil, "\(kind.name)-\(name) with a limit of \(limit)")
          #expect(walk.warnings == [], "\(kind.name)-\(name) with a limit of \(limit)")
        }
      }
    }
  }

  @Test("a page that fails in the middle of a list is asked for again", arguments: UpstreamServer.all)
  func failingPage(server: UpstreamServer) throws {
    let upstream = try RunningUpstream(server)
    defer { upstream.stop() }
    let service = try Service(server.configuration(port: upstream.port))
    for kind in server.kinds {
      guard let (name, items) = kind.lists.first(where: { $0.name == "many" }) else { continue }
      let list = "/v1/lists/\(kind.name)-\(name)"
      let first = try EnvelopeReader(service.get("\(list)?limit=47").body)
      let cursor = try #require(first.next)
      if server.failsOnDemand { try upstream.failOnce() } else { upstream.stop() }
      let failed = try service.get("\(list)?limit=47&cursor=\(cursor)")
      #expect(failed.status == (server.failsOnDemand ? 502 : 503))
      #expect(
        try EnvelopeReader(failed.body).error
          == (server.failsOnDemand ? "upstream_fault" : "upstream_unreachable"))
      if !server.failsOnDemand { try upstream.start() }
      let rest = try ListWalk(list, port: service.port, limit: 47, from: cursor)
      let difference = rest.difference(from: Array(items.dropFirst(first.items.count)))
      #expect(difference == nil, "\(kind.name)")
    }
  }
}
