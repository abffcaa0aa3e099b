import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import Synchronization
import TestSupport
import Testing

/// Completions by request, and how they ended; touched on one loop's thread only.
private final class Ledger: @unchecked Sendable {
  var counts: [Int]
  var kinds: [TransportFailure.Kind?: Int] = [:]
  var transfers: [any Transfer] = []
  var completed = 0

  init(count: Int) { counts = Array(repeating: 0, count: count) }

  func note(_ index: Int, _ result: Result<TransportResponse, TransportFailure>) {
    counts[index] += 1
    completed += 1
    kinds[Outcome(result).kind, default: 0] += 1
  }
}

extension CurlClientTests {
  @Suite("Many transfers", .timeLimit(.minutes(10)))
  struct LoadTests {
    private func upstream(pause: Duration = .zero) throws -> ScriptedUpstream {
      try ScriptedUpstream { connection in
        while let request = connection.request() {
          connection.sleep(pause)
          let body = String(repeating: request.target, count: 100)
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
      }
    }

    @Test("256 transfers at once on one loop each get their own answer")
    func concurrent() async throws {
      let upstream = try upstream(pause: .milliseconds(20))
      let fixture = try Fixture()
      let origin = TransportOrigin.test(connectionLimit: 256)
      let outcomes = await withTaskGroup(of: (Int, Outcome).self, returning: [(Int, Outcome)].self) { group in
        for index in 0..<512 {
          group.addTask { (index, await fixture.fetch(upstream.url("/\(index)"), origin: origin)) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count == 512)
      for (index, outcome) in outcomes { #expect(outcome.text == String(repeating: "/\(index)", count: 100)) }
      fixture.stop()
      upstream.stop()
      #expect(upstream.connectionCount <= 256)
    }

    @Test("a completion may start, cancel and be cancelled, and none runs before start has returned")
    func reentrance() async throws {
      let upstream = try upstream()
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      let journal: [String] = await withCheckedContinuation { continuation in
        fixture.onLoop { client, loop in
          var journal: [String] = []
          var second: (any Transfer)?
          var first: (any Transfer)?
          func request(_ target: String) -> TransportRequest {
            .test(upstream.url(target), deadline: .now + .seconds(9), origin: origin)
          }
          first = client.start(request("/1")) { result in
            journal.append("1 \(Outcome(result).status)")
            first?.cancel()
            second?.cancel()
            journal.append("after cancel")
            _ = client.start(request("/3")) { result in
              journal.append("3 \(Outcome(result).status)")
              continuation.resume(returning: journal)
            }
            journal.append("after start")
          }
          // Slow by being the second on the way: it is still under way when the first ends.
          second = client.start(
            .test("http://127.0.0.1:\(upstream.port)/2", deadline: .now + .seconds(9), origin: .test())
          ) { journal.append("2 \(Outcome($0).kind.map { "\($0)" } ?? "?")") }
          let failing = client.start(
            .test(upstream.url(), deadline: .now - .seconds(1), origin: origin)
          ) { _ in journal.append("failed") }
          let cancelled = client.start(request("/4")) {
            journal.append("4 \(Outcome($0).kind == .cancelled)")
          }
          cancelled.cancel()
          cancelled.cancel()
          journal.append("started")
          _ = failing
        }
      }
      fixture.stop()
      upstream.stop()
      #expect(journal.first == "4 true")
      #expect(journal.dropFirst().first == "started")
      #expect(journal.filter { $0.hasPrefix("2 ") }.count == 1)
      let ends = journal.filter { $0 == "1 200" || $0.hasPrefix("after") || $0.hasPrefix("3 ") }
      #expect(ends == ["1 200", "after cancel", "after start", "3 200"])
      #expect(journal.contains("failed") && journal.last == "3 200")
    }

    @Test("thousands of transfers cancelled at random each complete exactly once", arguments: 1...6)
    func cancels(seed: Int) async throws {
      let ledger = try await cancelAtRandom(seed: seed, count: 1_500)
      #expect(ledger.counts.allSatisfy { $0 == 1 })
      #expect(ledger.kinds[.cancelled] ?? 0 > 0)
      #expect(ledger.kinds[nil] ?? 0 > 0)
    }

    @Test("no descriptor is left open when a client has shut down")
    func descriptors() async throws {
      // In a process of its own, since the other tests open descriptors, too.
      await #expect(processExitsWith: .success) {
        // What is opened once and for all.
        _ = try await cancelAtRandom(seed: 0, count: 10)
        let before = openDescriptorCount()
        for seed in 1...3 { _ = try await cancelAtRandom(seed: seed, count: 500) }
        // A look-up that nobody wants any more ends when it likes.
        for _ in 0..<200 where openDescriptorCount() != before {
          try await Task.sleep(for: .milliseconds(100))
        }
        precondition(openDescriptorCount() == before)
      }
    }

    @Test("a client that is shut down under load cancels everything, and what is started later")
    func shutDownUnderLoad() async throws {
      let upstream = try upstream(pause: .milliseconds(50))
      let ledger = Ledger(count: 600)
      let fixture = try Fixture()
      let origin = TransportOrigin.test(connectionLimit: 100)
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        fixture.onLoop { client, loop in
          for index in 0..<300 {
            let request = TransportRequest.test(upstream.url(), deadline: .now + .seconds(9), origin: origin)
            _ = client.start(request) { result in
              ledger.note(index, result)
              // Whoever is told that it was cancelled may try again.
              if case .failure = result {
                _ = client.start(request) { ledger.note(300 + index, $0) }
              }
            }
          }
          loop.schedule(at: .now + .milliseconds(70)) {
            client.shutDown()
            client.shutDown()
            loop.schedule(at: .now + .milliseconds(20)) { continuation.resume() }
          }
        }
      }
      let figures = await fixture.ask { client, _ in "\(client.figures)" }
      #expect(figures == "(running: 0, waiting: 0, connections: 0)")
      fixture.stop()
      upstream.stop()
      #expect(ledger.counts[..<300].allSatisfy { $0 == 1 })
      #expect(ledger.counts[300...].reduce(0, +) == ledger.kinds[.cancelled, default: 0] / 2)
      #expect(ledger.kinds[.cancelled, default: 0] >= 200)
    }
  }
}

/// Starts `count` transfers to an upstream that answers, stalls, breaks off and resets, with names that do not resolve and
/// deadlines that pass among them, and cancels at random, from within completions, too.
private func cancelAtRandom(seed: Int, count: Int) async throws -> Ledger {
  let upstream = try ScriptedUpstream { connection in
    var random = SeededRandom(seed: UInt64(seed * 1_000 + connection.index))
    while connection.request() != nil {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: return
      case 1: return connection.reset()
      case 2: connection.sleep(.milliseconds(Int.random(in: 0..<30, using: &random)))
      case 3:
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
        connection.sleep(.milliseconds(5))
        return
      default: break
      }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
  }
  let ledger = Ledger(count: count)
  let fixture = try Fixture()
  let url = upstream.url()
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    fixture.onLoop { client, loop in
      var random = SeededRandom(seed: UInt64(seed))
      let origins = [TransportOrigin.test(connectionLimit: 8), .test(connectionLimit: 40)]
      let urls = [url, url, url, url, url, url, url, url, "nonsense", "http://a..b/"]
      var next = 0
      func step() {
        for _ in 0..<Int.random(in: 1...40, using: &random) where next < count {
          let index = next
          next += 1
          let request = TransportRequest.test(
            urls[Int.random(in: 0..<10, using: &random)], method: Bool.random(using: &random) ? .get : .post,
            deadline: .now + .milliseconds(Int.random(in: 0...400, using: &random)),
            origin: origins[Int.random(in: 0...1, using: &random)])
          ledger.transfers.append(
            client.start(request) { result in
              ledger.note(index, result)
              if Int.random(in: 0..<4, using: &random) == 0 {
                ledger.transfers.randomElement(using: &random)?.cancel()
              }
            })
        }
        for _ in 0..<Int.random(in: 0...10, using: &random) {
          ledger.transfers.randomElement(using: &random)?.cancel()
        }
        if ledger.completed < count {
          loop.schedule(at: .now + .milliseconds(Int.random(in: 0...3, using: &random)), step)
        } else {
          continuation.resume()
        }
      }
      step()
    }
  }
  let figures = await fixture.ask { client, _ in client.figures }
  #expect(figures.running == 0 && figures.waiting == 0)
  fixture.stop()
  upstream.stop()
  return ledger
}
