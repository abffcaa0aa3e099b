import Foundation
import TestSupport

/// A server of `Tests/Upstreams` as a process of its own, with its files in a folder of its own.
final class RunningUpstream {
  /// What `Tests/Upstreams/install --check` says: the Python to run the servers with, or why there is none.
  static let python: (path: String?, reason: String) = {
    let script = "\(Repository.root)/Tests/Upstreams/install"
    guard let folder = try? TemporaryFolder(),
      let child = try? Child(script, ["--check"], output: "\(folder.path)/said")
    else { return (nil, "\(script) cannot be run") }
    let status = child.wait()
    let said = String(decoding: (try? folder.read("said")) ?? [], as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return status == 0 ? (said, "") : (nil, said)
  }()

  private(set) var port = freePort()
  private let script: String
  private var folder: TemporaryFolder
  private var process: Child?

  init(_ server: UpstreamServer) throws {
    script = "\(Repository.root)/Tests/Upstreams/\(server.script)"
    folder = try TemporaryFolder()
    for attempt in 1... {
      try folder.write(UpstreamItems.file, to: "items.json")
      do {
        try start()
        return
      } catch  where attempt < 3 {
        // While it made up its mind, somebody else may have taken the port.
        stop()
        port = freePort()
        folder = try TemporaryFolder()
      }
    }
  }

  deinit { stop() }

  func start() throws {
    guard let python = Self.python.path else { throw TestFailure(Self.python.reason) }
    // Without -B the checkout would fill with compiled files.
    process = try Child.detached(
      python, ["-B", script, "\(port)", "\(folder.path)/items.json", "\(getpid())"],
      output: "\(folder.path)/log")
    for _ in 0..<1_200 where process?.isRunning == true {
      if let client = try? TestClient(port: port), (try? client.request("GET", "/")) != nil { return }
      usleep(50_000)
    }
    let log = String(decoding: (try? folder.read("log")) ?? [], as: UTF8.self)
    throw TestFailure("\(script) does not answer: \(log.suffix(2_000))")
  }

  func stop() {
    process?.terminate()
    process = nil
  }

  /// Has the next request get an error.
  func failOnce() throws {
    let answer = try TestClient(port: port).request("POST", "/fail", body: [])
    guard answer.status == 204 else { throw TestFailure("/fail: \(answer.status)") }
  }
}
