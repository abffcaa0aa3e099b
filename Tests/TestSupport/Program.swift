package import Foundation

/// The real program, as a child process with its files in a folder of its own.
package final class Program {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
  }

  package let folder: URL
  private let process = Process()
  private let log: URL

  /// The program that was built beside the tests.
  package static var executable: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("listway")
  }

  /// Starts `listway ARGUMENTS`. In `arguments`, `{folder}` stands for the program's folder, where `files` are written first.
  package init(
    _ arguments: [String], files: [String: String] = [:], environment: [String: String] = [:]
  ) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("listway-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, content) in files {
      try Data(content.utf8).write(to: folder.appendingPathComponent(name))
    }
    log = folder.appendingPathComponent("stderr")
    let output = folder.appendingPathComponent("stdout")
    for file in [log, output] { try Data().write(to: file) }
    process.executableURL = Program.executable
    process.arguments = arguments.map { [folder] in $0.replacingOccurrences(of: "{folder}", with: folder.path)
    }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardError = try FileHandle(forWritingTo: log)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }

  package var processIdentifier: Int32 { process.processIdentifier }
  package var isRunning: Bool { process.isRunning }

  /// What it has written to standard error so far.
  package var errorText: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
  package var outputText: String {
    (try? String(contentsOf: folder.appendingPathComponent("stdout"), encoding: .utf8)) ?? ""
  }

  /// Waits until `port` takes connections.
  package func waitUntilListening(on port: UInt16, seconds: Double = 20) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      if (try? TestClient(port: port)) != nil { return }
      guard process.isRunning, Date() < deadline else {
        throw Failure(description: "does not listen on \(port): \(errorText)")
      }
      usleep(5_000)
    }
  }

  package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for the end; kills the program when that takes too long.
  ///
  /// - Returns: its exit status, or 128 and the number of the signal that ended it.
  @discardableResult
  package func waitForEnd(seconds: Double = 20) -> Int32 {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while process.isRunning && Date() < deadline { usleep(5_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  }

  /// Asks it to stop (SIGTERM) and waits.
  @discardableResult
  package func stop() -> Int32 {
    signal(SIGTERM)
    return waitForEnd()
  }
}
