import TestSupport

/// `listway demo`, on free ports of its own.
final class RunningDemo {
  let program: Program
  let port = freePort()
  private let faultsPort = freePort()
  var faults: String { "http://127.0.0.1:\(faultsPort)" }

  init() throws {
    program = try Program([
      "demo", "--port", "\(port)", "--admin-port", "\(freePort())", "--upstream-port", "\(freePort())",
      "--faults-port", "\(faultsPort)",
    ])
    try program.waitUntilListening(on: port)
    try program.waitUntilListening(on: faultsPort)
  }

  /// The address of the explorer at a fragment.
  func page(_ fragment: String) -> String { "http://127.0.0.1:\(port)/#\(fragment)" }

  /// Has the upstream fail: slow, down, 500, html, refused; or none.
  func fail(_ fault: String) throws {
    let answer = try TestClient(port: faultsPort).request("POST", "/\(fault)", body: [])
    guard answer.status == 200 else { throw TestFailure(answer.text) }
  }
}
