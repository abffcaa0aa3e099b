import Foundation
import TestSupport
import Testing

/// `listway.js` against the real program: `Tests/Browser/client.mjs` tells what it promises.
@Suite("listway.js", .serialized, .timeLimit(.minutes(10)))
struct ClientTests {
  private static let node = "/usr/bin/node"
  private static let script = "\(Repository.root)/Tests/Browser/client.mjs"

  @Test(
    "keeps its promises in Node",
    .enabled(if: Child.isInstalled(node), "Node is missing: apt-get install nodejs"))
  func inNode() throws {
    let demo = try RunningDemo()
    let folder = try TemporaryFolder()
    // Served as it is, and a module by its name.
    try folder.write(try TestClient(port: demo.port).request("GET", "/listway.js").body, to: "listway.mjs")
    let child = try Child(
      Self.node,
      [Self.script, "\(folder.path)/listway.mjs", "http://127.0.0.1:\(demo.port)", demo.faults],
      output: "\(folder.path)/said")
    let status = child.wait()
    let said = String(decoding: try folder.read("said"), as: UTF8.self)
    #expect(status == 0 && said == "as promised\n", "\(said)")
  }

  @Test(
    "keeps its promises in a browser",
    .enabled(if: Browser.isInstalled, "chromium and chromium-driver are missing: config/install test"))
  func inBrowser() throws {
    let demo = try RunningDemo()
    let browser = try Browser()
    try browser.open(demo.page("/"))
    // Faults are switched from here: the page may ask its own gateway only.
    let answering = FaultSwitch(demo: demo, browser: browser)
    let script = Repository.text(of: "Tests/Browser/client.mjs")
      .replacing("export async function check", with: "window.check = async function")
      .split(separator: "\nif (globalThis.process")[0]
    try browser.run(
      """
      \(script)
      window.fail = (fault) => new Promise((resolve) => (window.wanted = { fault, resolve }));
      import("/listway.js").then((module) => check(module, location.origin, fail))
        .then((said) => (window.outcome = said), (error) => (window.outcome = String(error.stack ?? error)));
      """)
    #expect(try answering.runToEnd() == "as promised")
  }
}

/// Switches the demo's faults when the page wants it, until the page has something to say.
private struct FaultSwitch {
  let demo: RunningDemo
  let browser: Browser

  func runToEnd() throws -> String {
    let deadline = Date(timeIntervalSinceNow: 90)
    while Date() < deadline {
      if let said = try browser.run("return window.outcome") as? String { return said }
      if let fault = try browser.run("return window.wanted?.fault") as? String {
        try demo.fail(fault)
        try browser.run("const { resolve } = window.wanted; window.wanted = undefined; resolve()")
      }
      usleep(10_000)
    }
    throw TestFailure("the page says nothing")
  }
}
