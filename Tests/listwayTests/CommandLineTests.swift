import Foundation
import TestSupport
import Testing

/// A command line, and what the program says to it.
struct CommandLineCase: Sendable, CustomTestStringConvertible {
  var arguments: [String]
  var files: [String: String] = [:]
  var status: Int32
  var says: [String]

  var testDescription: String { arguments.joined(separator: " ") }

  static let valid = """
    access: none
    upstreams: {a: {url: "http://127.0.0.1:1"}}
    lists: {x: {upstream: a, request: {path: /}, paging: {style: whole}, items: {at: "", id: /id}}}
    """

  static let all: [CommandLineCase] = [
    CommandLineCase(arguments: [], status: 2, says: ["no command given", "listway serve"]),
    CommandLineCase(
      arguments: ["serv"], status: 2,
      says: [#"unknown command "serv""#, "serve, check, probe, pull, purge, demo"]),
    CommandLineCase(arguments: ["serve", "a", "b"], status: 2, says: ["takes one file, found 2"]),
    CommandLineCase(arguments: ["serve", "--port"], status: 2, says: [#"unknown option "--port""#]),
    CommandLineCase(arguments: ["demo", "--port"], status: 2, says: ["--port wants a value"]),
    CommandLineCase(
      arguments: ["demo", "--port", "70000"], status: 2,
      says: [#"--port: found "70000"; allowed: 0 to 65535"#]),
    CommandLineCase(
      arguments: ["check", "{folder}/none.yaml"], status: 2,
      says: ["none.yaml: error: cannot be read: No such file"]),
    CommandLineCase(
      arguments: ["check", "{folder}/a.yaml"], files: ["a.yaml": "listn: {port: 1}\n"], status: 2,
      says: ["a.yaml:1:1: error:", "listen"]),
    CommandLineCase(
      arguments: ["serve", "{folder}/a.yaml"],
      files: ["a.yaml": "cursor: {keys: [\"${LISTWAY_TEST_NOT_SET}\"]}\n" + valid], status: 2,
      says: ["a.yaml:1:17: error:", "LISTWAY_TEST_NOT_SET"]),
    CommandLineCase(
      arguments: ["serve", "{folder}/a.yaml"],
      files: ["a.yaml": "cursor: {keys: [\"file:/nowhere/key\"]}\n" + valid], status: 2,
      says: ["a.yaml:1:17: error:", "/nowhere/key", "No such file or directory"]),
    CommandLineCase(
      arguments: ["check", "{folder}/a.yaml"], files: ["a.yaml": valid], status: 0,
      says: ["valid: 1 list, 1 upstream"]),
    CommandLineCase(
      arguments: ["check", "{folder}/a.yaml"],
      files: ["a.yaml": valid.replacingOccurrences(of: "access: none\n", with: "")], status: 2,
      says: ["a.yaml: error: access: nothing says who may ask at every address of the machine"]),
    CommandLineCase(
      arguments: ["serve", "{folder}/a.yaml"],
      files: [
        "a.yaml": "listen: {address: 192.0.2.1}\n"
          + valid.replacingOccurrences(of: "access: none\n", with: "")
      ],
      status: 2, says: ["nothing says who may ask at 192.0.2.1"]),
    CommandLineCase(
      arguments: ["check", "{folder}/a.yaml"],
      files: [
        "a.yaml": "listen: {address: 127.0.0.1}\n"
          + valid.replacingOccurrences(of: "access: none\n", with: "")
      ],
      status: 0, says: ["valid: 1 list, 1 upstream"]),
    CommandLineCase(arguments: ["key", "my app"], status: 2, says: ["key takes one name of letters"]),
    CommandLineCase(
      arguments: ["key", "app"], status: 0, says: ["- {name: app, sha256: ", "listway_"]),
    CommandLineCase(arguments: ["version"], status: 0, says: ["listway "]),
    CommandLineCase(arguments: ["--help"], status: 0, says: ["listway healthcheck"]),
    CommandLineCase(arguments: ["serve", "--help"], status: 0, says: ["listway healthcheck"]),
  ]
}

@Suite("Command line", .timeLimit(.minutes(10)), .serialized)
struct CommandLineTests {
  @Test(
    "each command says what it did or what is wrong, and exits accordingly", arguments: CommandLineCase.all)
  func commands(_ example: CommandLineCase) throws {
    let program = try Program(example.arguments, files: example.files)
    #expect(program.waitForEnd() == example.status)
    let text = program.outputText + program.errorText
    for words in example.says { #expect(text.contains(words), "\(text)") }
  }

  @Test("a taken port is an error that names it")
  func takenPort() throws {
    let first = try Service(CommandLineCase.valid)
    let configuration = """
      listen: {address: 127.0.0.1, port: \(first.port)}
      admin: {address: 127.0.0.1, port: \(freePort())}

      """ + CommandLineCase.valid
    let second = try Program(["serve", "{folder}/a.yaml"], files: ["a.yaml": configuration])
    #expect(second.waitForEnd() == 1)
    #expect(second.errorText.contains("127.0.0.1:\(first.port)"), "\(second.errorText)")
    #expect(try first.get("/livez").status == 200)
  }

  @Test("the health check asks the admin port of the configuration it is given")
  func healthcheck() throws {
    let service = try Service(CommandLineCase.valid)
    let configuration = try String(
      contentsOf: service.program.folder.appendingPathComponent("listway.yaml"), encoding: .utf8)
    let check = { try Program(["healthcheck", "{folder}/a.yaml"], files: ["a.yaml": configuration]) }
    #expect(try check().waitForEnd() == 0)
    service.program.stop()
    let after = try check()
    #expect(after.waitForEnd() == 1)
    #expect(after.errorText.contains("connect"), "\(after.errorText)")
  }

  @Test("the demo serves its lists, and every fault of its upstream shows as the state that it is")
  func demo() throws {
    let (port, admin, upstream, faults) = (freePort(), freePort(), freePort(), freePort())
    let program = try Program([
      "demo", "--port", "\(port)", "--admin-port", "\(admin)", "--upstream-port", "\(upstream)",
      "--faults-port", "\(faults)",
    ])
    try program.waitUntilListening(on: port)
    let ask = {
      try EnvelopeReader(try TestClient(port: port).request("GET", "/v1/lists/notices?limit=3").body)
    }
    #expect(try ask().items.count == 3)
    let expected = [
      ("slow", "upstream_timeout"), ("down", "upstream_unreachable"), ("500", "upstream_fault"),
      ("html", "upstream_fault"), ("refused", "upstream_refused"),
    ]
    for (fault, error) in expected {
      #expect(try TestClient(port: faults).request("POST", "/\(fault)", body: []).status == 200)
      #expect(try ask().error == error, "\(fault)")
    }
    #expect(try TestClient(port: faults).request("POST", "/none", body: []).status == 200)
    #expect(try ask().items.count == 3)
    #expect(try TestClient(port: faults).request("POST", "/nonsense", body: []).status == 404)
    #expect(program.stop() == 0)
  }
}
