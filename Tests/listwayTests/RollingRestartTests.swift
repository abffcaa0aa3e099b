import Foundation
import Synchronization
import TestSupport
import Testing

/// Two replicas behind a balancer, restarted one after the other.
@Suite("A rolling restart")
struct RollingRestartTests {
  private static let haproxy = "/usr/sbin/haproxy"

  private static func replica(upstream: UInt16, port: UInt16) throws -> Program {
    let program = try Program(
      ["serve", "{folder}/listway.yaml"],
      files: [
        "listway.yaml": """
        listen: {address: 127.0.0.1, port: \(port)}
        admin: {address: 127.0.0.1, port: \(freePort())}
        loops: 1
        log: {level: error}
        cursor: {keys: ["a passphrase of sixteen characters and more"]}
        shutdown: {delay: 500ms, grace: 5s}
        upstreams: {rows: {url: "http://127.0.0.1:\(upstream)"}}
        lists:
          rows:
            upstream: rows
            request: {path: /rows}
            paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
            items: {at: /items, id: /id}
        """
      ])
    try program.waitUntilListening(on: port)
    return program
  }

  @Test(
    "loses no request, on kept connections and on new ones",
    .enabled(if: FileManager.default.isExecutableFile(atPath: haproxy), "haproxy is not installed"))
  func rolling() throws {
    let upstream = try ScriptedUpstream { connection in
      let items = (0..<20).map { #"{"id":\#($0)}"# }.joined(separator: ",")
      let body = #"{"items":[\#(items)]}"#
      while connection.request() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
    defer { upstream.stop() }
    let ports = [freePort(), freePort()]
    var replicas = try ports.map { try Self.replica(upstream: upstream.port, port: $0) }
    let (front, statistics) = (freePort(), freePort())
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("listway-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("haproxy.cfg")
    try Data(
      """
      defaults
        mode http
        retries 0
        timeout connect 1s
        timeout client 30s
        timeout server 30s
      listen front
        bind 127.0.0.1:\(front)
        option httpchk GET /readyz
        default-server check inter 50ms fall 2 rise 1
        server one 127.0.0.1:\(ports[0])
        server two 127.0.0.1:\(ports[1])
      listen stats
        bind 127.0.0.1:\(statistics)
        stats enable
        stats uri /

      """.utf8
    ).write(to: file)
    let balancer = try Child(Self.haproxy, ["-db", "-f", file.path])
    defer { balancer.terminate() }
    try waitUntilListening(on: front)
    for name in ["one", "two"] { try waitUntilUp(name, statistics) }

    let failures = Mutex<[String]>([])
    let count = Atomic(0)
    let isOver = Atomic(false)
    let clients = (0..<4).map { index in
      let thread = Thread {
        var kept: TestClient?
        while !isOver.load(ordering: .relaxed), count.load(ordering: .relaxed) < 200_000 {
          do {
            // Two keep their connections, two open one for each request.
            let client = try kept ?? TestClient(port: front)
            let answer = try client.request("GET", "/v1/lists/rows?limit=5")
            if answer.status != 200 { failures.withLock { $0.append("\(answer.status) \(answer.text)") } }
            kept = index < 2 && !answer.closesConnection ? client : nil
          } catch {
            failures.withLock { $0.append("\(error)") }
            kept = nil
          }
          count.wrappingAdd(1, ordering: .relaxed)
        }
      }
      thread.start()
      return thread
    }
    for index in replicas.indices {
      let before = count.load(ordering: .relaxed)
      replicas[index].signal(SIGTERM)
      #expect(replicas[index].waitForEnd() == 0)
      replicas[index] = try Self.replica(upstream: upstream.port, port: ports[index])
      try waitUntilUp(["one", "two"][index], statistics)
      #expect(count.load(ordering: .relaxed) > before)
    }
    isOver.store(true, ordering: .relaxed)
    for client in clients { while !client.isFinished { usleep(1_000) } }
    #expect(failures.withLock { $0 } == [])
    for replica in replicas { replica.stop() }
  }

  /// Waits until the balancer has taken a server back.
  private func waitUntilUp(_ server: String, _ statistics: UInt16) throws {
    for _ in 0..<2_000 {
      let table = try TestClient(port: statistics).request("GET", "/;csv").text
      let line = table.split(separator: "\n").first { $0.hasPrefix("front,\(server),") } ?? ""
      if line.contains(",UP,") { return }
      usleep(10_000)
    }
    throw TestFailure("\(server) did not come back")
  }

  private func waitUntilListening(on port: UInt16) throws {
    for _ in 0..<2_000 {
      if (try? TestClient(port: port)) != nil { return }
      usleep(5_000)
    }
    throw TestFailure("nothing listens on \(port)")
  }
}

extension TestClient.Answer {
  fileprivate var closesConnection: Bool {
    fields.contains { $0.name.lowercased() == "connection" && $0.value.lowercased() == "close" }
  }
}
