import Foundation
import ListwayClient
import TestSupport
import Testing

/// Against the real program and its demo.
@Suite("The client at the real gateway")
struct GatewayTests {
  private struct Notice: Decodable, Sendable {
    let id: Int64
    let amount: Decimal
  }

  private struct Demo {
    let program: Program
    let client: ListwayClient
    let faultsPort: UInt16

    init() throws {
      let (port, faultsPort) = (freePort(), freePort())
      program = try Program(
        [
          "demo", "--port", String(port), "--admin-port", String(freePort()), "--upstream-port",
          String(freePort()), "--faults-port", String(faultsPort),
        ])
      try program.waitUntilListening(on: port)
      try program.waitUntilListening(on: faultsPort)
      client = ListwayClient(url: try #require(URL(string: "http://127.0.0.1:\(port)")))
      self.faultsPort = faultsPort
    }

    func set(fault: String) throws {
      _ = try TestClient(port: faultsPort).request("POST", "/\(fault)")
    }
  }

  @Test("reads a list of 2,037 whole, each item once, numbers exact")
  func whole() async throws {
    let demo = try Demo()
    var ids: Set<Int64> = []
    var count = 0
    for try await notice in demo.client.list("notices", of: Notice.self, limit: 100).items {
      ids.insert(notice.id)
      count += 1
    }
    #expect(count == 2037)
    #expect(ids.count == 2037)
    #expect(ids.min() == 9_007_199_254_740_993)
    demo.program.stop()
  }

  @Test("goes on after the upstream was away, and nothing is missing")
  func outage() async throws {
    let demo = try Demo()
    var iterator = demo.client.list("notices", of: Notice.self, limit: 100).items.makeAsyncIterator()
    var ids: [Int64] = []
    var failures: [ListwayError] = []
    while true {
      if ids.count == 250 { try demo.set(fault: failures.isEmpty ? "500" : "none") }
      do throws(ListwayError) {
        guard let notice = try await iterator.next() else { break }
        ids.append(notice.id)
      } catch {
        failures.append(error)
        try demo.set(fault: "none")
      }
    }
    #expect(Set(ids).count == 2037)
    #expect(ids.count == 2037)
    let code: ListwayError.Code? =
      if case .failed(let failure) = failures.first { failure.code } else { nil }
    #expect(code == .upstreamFault)
    #expect(failures.first?.isTransient == true)
    demo.program.stop()
  }

  @Test("says what is wrong with a request, and that nobody is there")
  func refused() async throws {
    let demo = try Demo()
    let error = await #expect(throws: ListwayError.self) {
      try await demo.client.list("notices", of: Notice.self, parameters: ["nonsense": "1"]).slice()
    }
    guard case .failed(let failure) = error else { throw TestFailure("\(String(describing: error))") }
    #expect(failure.code == .invalidRequest)
    #expect(failure.parameter == "nonsense")
    demo.program.stop()
    let offline = await #expect(throws: ListwayError.self) {
      try await demo.client.list("notices", of: Notice.self).slice()
    }
    guard case .offline = offline else { throw TestFailure("\(String(describing: offline))") }
  }
}
