import Foundation
import TestSupport

/// Real list servers that are kept beside the project, filled with known items. They are large to install and slow to walk,
/// so they are walked where `LISTWAY_TEST_ZOO` says so: `all`, or the names of some, with commas between them. With `slow`
/// among them the long lists are walked with a limit of 1 too, each slice of which asks for a page.
struct Zoo {
  private static let words =
    getenv("LISTWAY_TEST_ZOO").map { String(cString: $0) }?.split(separator: ",") ?? []
  static let isAskedFor = Shared.hasZoo && !servers.isEmpty
  static let isSlow = words.contains("slow")
  static let servers = ZooLists.servers.filter { words.contains("all") || words.contains($0[...]) }

  let server: String
  let port = freePort()

  /// Installs what is missing and starts the server.
  init(_ server: String) throws {
    self.server = server
    _ = try run(["install", server])
    // One that an interrupted run left behind.
    _ = try run(["stop", server])
    try start()
  }

  func start() throws { _ = try run(["start", server, "\(port)"]) }

  func stop() { _ = try? run(["stop", server]) }

  /// The items of a list, in order, as JSON.
  func truth(of list: String) throws -> String { try run(["truth", server, list]) }

  /// How each of its lists is asked for, as JSON.
  func lists() throws -> String { try run(["lists", server]) }

  /// Runs the zoo's own program, for ten minutes at most.
  private func run(_ arguments: [String]) throws -> String {
    let folder = try TemporaryFolder()
    let program = Shared.folder.appendingPathComponent("zoo/zoo").path
    let child = try Child.detached(
      "/usr/bin/timeout", ["--kill-after=5", "600", program] + arguments, output: "\(folder.path)/output")
    let status = child.wait()
    let output = String(decoding: try folder.read("output"), as: UTF8.self)
    if status != 0 { throw TestFailure("zoo \(arguments.joined(separator: " ")): \(output.suffix(2_000))") }
    return output
  }
}
