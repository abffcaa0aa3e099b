import Foundation
import ListwayClient
import Synchronization
import TestSupport
import Testing

@Suite("A list at the gateway")
struct RemoteListTests {
  private func client(_ gateway: FakeGateway, fields: [String: String] = [:]) throws -> ListwayClient {
    ListwayClient(
      url: try #require(URL(string: "https://lists.example.com/api/")), fields: fields, transport: gateway)
  }

  @Test("gives every item once, in order, whatever the slices", arguments: [1, 3, 10, 100])
  func items(limit: Int) async throws {
    let gateway = FakeGateway(rows: 25, limit: limit, prefetchAt: limit / 2)
    var ids: [Int] = []
    for try await row in try client(gateway).list("rows", of: Row.self, limit: limit).items {
      ids.append(row.id)
    }
    #expect(ids == Array(0..<25))
    #expect(gateway.seen.count == (25 + limit - 1) / limit)
  }

  @Test("gives its slices with what is known of the whole")
  func slices() async throws {
    let gateway = FakeGateway(rows: 5, limit: 2, prefetchAt: 1)
    var slices: [Slice<Row>] = []
    for try await slice in try client(gateway).list("rows", of: Row.self).slices { slices.append(slice) }
    #expect(slices.map { $0.items.map(\.id) } == [[0, 1], [2, 3], [4]])
    #expect(slices.map(\.total) == [5, 5, 5])
    #expect(slices.map(\.hasMore) == [true, true, false])
    #expect(slices[0].warnings == ["list_shifted"])
    #expect(slices[0].cacheStatus == "listway; fwd=miss")
  }

  @Test("asks for the next slice when the row has come that the gateway names, and not before")
  func ahead() async throws {
    let gateway = FakeGateway(rows: 20, limit: 10, prefetchAt: 6)
    var iterator = try client(gateway).list("rows", of: Row.self).items.makeAsyncIterator()
    for _ in 0..<6 { _ = try await iterator.next() }
    #expect(gateway.seen.count == 1)
    _ = try await iterator.next()
    try await Self.eventually { gateway.seen.count == 2 }
  }

  @Test("asks again for a slice that failed, and skips nothing")
  func failing() async throws {
    let gateway = FakeGateway { number, seen in
      number == 1
        ? .success((FakeGateway.failure("upstream_fault", status: -2), 502))
        : .success((FakeGateway.slice(of: 6, limit: 2, prefetchAt: 0, from: seen.cursor ?? 0), 200))
    }
    var iterator = try client(gateway).list("rows", of: Row.self).items.makeAsyncIterator()
    var ids: [Int] = []
    var failures = 0
    while true {
      do {
        guard let row = try await iterator.next() else { break }
        ids.append(row.id)
      } catch { failures += 1 }
    }
    #expect(ids == Array(0..<6))
    #expect(failures == 1)
  }

  @Test("asks by the names and values it was given, encoded")
  func request() async throws {
    let gateway = FakeGateway(rows: 1, limit: 1, prefetchAt: 0)
    let list = try client(gateway, fields: ["X-API-Key": "k"]).list(
      "a b", of: Row.self, parameters: ["q": "ä&=+", "a": "1"], limit: 7, slot: "right")
    _ = try await list.slice(isRefresh: true)
    let seen = try #require(gateway.seen.first)
    #expect(seen.url == "https://lists.example.com/api/v1/lists/a%20b?a=1&limit=7&q=%C3%A4%26%3D%2B")
    #expect(seen.fields["x-api-key"] == "k")
    #expect(seen.fields["listway-slot"] == "right")
    #expect(seen.fields["cache-control"] == "no-cache")
  }

  @Test("keeps items as they were written, and decimals exact")
  func exact() async throws {
    let body = #"{"id":9007199254740993,"amount":1.10,"text":"a\u00e4 ]},{\\\""}"#
    let gateway = FakeGateway { _, _ in
      .success(
        (
          #"{"status":0,"header":{"warnings":[]},"body":[ \#(body) , 1.10,"x",null ],"message":"ok"}"#, 200
        ))
    }
    let list = try client(gateway).list("rows") { json in json }
    let items = try await list.slice().items
    #expect(items.map(\.description) == [body, "1.10", #""x""#, "null"])
    struct Priced: Decodable {
      let id: Int64
      let amount: Decimal
    }
    let priced = try items[0].decoded(as: Priced.self)
    #expect(priced.id == 9_007_199_254_740_993)
    #expect(priced.amount == Decimal(string: "1.1"))
  }

  @Test("tells every failure by its name", arguments: ListwayError.Code.allCases)
  func failures(code: ListwayError.Code) async throws {
    let gateway = FakeGateway { _, _ in
      .success(
        (
          FakeGateway.failure(
            code.rawValue, status: -4,
            more: #""upstreamCode":1001,"retryAfter":3,"parameter":"sid","#), 503
        ))
    }
    let error = await #expect(throws: ListwayError.self) {
      try await client(gateway).list("rows", of: Row.self).slice()
    }
    switch error {
    case .superseded: #expect(code == .superseded)
    case .failed(let failure):
      #expect(failure.code == code)
      #expect(failure.upstreamCode == "1001")
      #expect(failure.retryAfter == 3)
      #expect(failure.parameter == "sid")
      #expect(failure.message == "no")
      #expect(failure.httpStatus == 503)
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test(
    "takes what is no envelope for what it is",
    arguments: [
      "", "<html>", "[]", "{", #"{"status":0}"#, #"{"status":0,"header":{},"body":3,"message":""}"#,
    ])
  func strangers(text: String) async throws {
    let gateway = FakeGateway { _, _ in .success((text, 200)) }
    let error = await #expect(throws: ListwayError.self) {
      try await client(gateway).list("rows", of: Row.self).slice()
    }
    guard case .notAnEnvelope = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a newer request in the same slot ends the older, whose rows never come")
  func slots() async throws {
    let gateway = FakeGateway { _, seen in
      // The old category's rows are slow, and would come last.
      if seen.url.contains("category=1") { try? await Task.sleep(for: .seconds(20)) }
      return .success((FakeGateway.slice(of: 1, limit: 1, prefetchAt: 0, from: 0), 200))
    }
    let client = try client(gateway)
    func list(_ category: String) -> RemoteList<Row> {
      client.list("users", of: Row.self, parameters: ["category": category], slot: "right")
    }
    let slow = list("1")
    let old = Task { try await slow.slice() }
    try await Self.eventually { gateway.seen.count == 1 }
    #expect(try await list("2").slice().items.count == 1)
    await #expect(throws: ListwayError.superseded) { try await old.value }
  }

  @Test("an older request that comes to the gateway after a newer one does not win", arguments: [1, 2])
  func overtaken(times: Int) async throws {
    let gateway = FakeGateway { number, _ in
      number < times
        ? .success((FakeGateway.failure("superseded", status: -13), 409))
        : .success((FakeGateway.slice(of: 1, limit: 1, prefetchAt: 0, from: 0), 200))
    }
    let list = try client(gateway).list("users", of: Row.self, slot: "right")
    if times == 1 {
      #expect(try await list.slice().items.count == 1)
    } else {
      // Twice in a row is no accident.
      await #expect(throws: ListwayError.superseded) { try await list.slice() }
    }
    #expect(gateway.seen.count == 2)
  }

  @Test("reads a screen's sections, each with its own outcome")
  func screen() async throws {
    let section = FakeGateway.slice(of: 3, limit: 2, prefetchAt: 1, from: 0)
      .replacingOccurrences(of: #""list":"rows""#, with: #""list":"rows","parameters":{"category_id":"7"}"#)
    let failed = FakeGateway.failure("upstream_unreachable", status: -1)
    let gateway = FakeGateway { _, _ in
      .success(
        (
          #"{"status":0,"header":{"screen":"s","requestId":"r","warnings":["section_failed:b"]},"#
            + #""body":{"a":\#(section),"b":\#(failed)},"message":"ok"}"#, 200
        ))
    }
    let screen = try await client(gateway).screen("s")
    #expect(screen.sections == ["a", "b"])
    #expect(screen.warnings == ["section_failed:b"])
    #expect(try screen.slice("a", of: Row.self).next == "2")
    #expect(try screen.parameters("a") == ["category_id": "7"])
    #expect(throws: ListwayError.self) { try screen.slice("b", of: Row.self) }
  }

  @Test("a call posts its content, and gives the payload")
  func call() async throws {
    let gateway = FakeGateway { _, _ in
      .success((#"{"status":0,"header":{"warnings":[]},"body":{"id":4},"message":"ok"}"#, 200))
    }
    let row = try await client(gateway).call(
      "save", as: Row.self, json: RawJSON(Data(#"{"name":"n"}"#.utf8)))
    #expect(row == Row(id: 4))
    #expect(gateway.seen.first?.content == #"{"name":"n"}"#)
    #expect(gateway.seen.first?.url == "https://lists.example.com/api/v1/calls/save")
  }

  /// Waits for what another task is about to do.
  static func eventually(_ condition: @Sendable () async -> Bool) async throws {
    for _ in 0..<2_000 {
      if await condition() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("did not happen")
  }
}
