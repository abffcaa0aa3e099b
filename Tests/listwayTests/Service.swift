import TestSupport

/// The real program serving a configuration, on free ports of its own.
final class Service {
  let program: Program
  let port: UInt16
  let adminPort: UInt16

  /// - Parameter configuration: YAML, without `listen` and `admin`.
  init(_ configuration: String, environment: [String: String] = [:], loops: Int = 2) throws {
    // A port that was free a moment ago may be another's by the time that it is listened on.
    for attempt in 1... {
      let (port, adminPort) = (freePort(), freePort())
      let head = """
        listen: {address: 127.0.0.1, port: \(port)}
        admin: {address: 127.0.0.1, port: \(adminPort)}
        loops: \(loops)

        """
      let program = try Program(
        ["serve", "{folder}/listway.yaml"], files: ["listway.yaml": head + configuration],
        environment: environment)
      do {
        try program.waitUntilListening(on: port)
        try program.waitUntilListening(on: adminPort)
      } catch {
        if attempt < 3, program.errorText.contains("in use") { continue }
        throw error
      }
      (self.program, self.port, self.adminPort) = (program, port, adminPort)
      return
    }
    preconditionFailure("the last attempt has thrown")
  }

  func get(_ target: String, fields: [(String, String)] = []) throws -> TestClient.Answer {
    try TestClient(port: port).request("GET", target, fields: fields)
  }

  /// Walks a list to its end.
  ///
  /// - Returns: the items' bytes.
  func walk(_ target: String, limit: Int, most: Int = 5_000) throws -> [String] {
    let client = try TestClient(port: port)
    var items: [String] = []
    var cursor: String?
    for _ in 0..<most {
      let separator = target.contains("?") ? "&" : "?"
      let answer = try client.request(
        "GET", "\(target)\(separator)limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      let envelope = try EnvelopeReader(answer.body)
      guard answer.status == 200 else { throw Program.Failure(description: answer.text) }
      items += envelope.items
      cursor = envelope.next
      if cursor == nil { return items }
    }
    throw Program.Failure(description: "\(target) has no end")
  }
}
