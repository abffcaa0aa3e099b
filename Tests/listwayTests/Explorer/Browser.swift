import Foundation
import TestSupport

/// Headless Chromium, driven over WebDriver (W3C) by Debian's chromedriver.
final class Browser {
  static let isInstalled =
    Child.isInstalled("/usr/bin/chromium") && Child.isInstalled("/usr/bin/chromedriver")

  /// What the browser wrote to its console.
  struct Entry: CustomStringConvertible {
    let source: String
    let text: String
    var description: String { "\(source): \(text)" }
  }

  private let port = freePort()
  private let driver: Child
  private var session = ""

  init(isDark: Bool = false, isPhone: Bool = false) throws {
    driver = try Child.detached("/usr/bin/chromedriver", ["--port=\(port)"])
    try waitForListener(port: port)
    var options: [String: Any] = [
      // The sandbox needs rights that a test may not have, and shared memory is small in containers.
      "args": [
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
        "--window-size=1440,900",
      ]
    ]
    if isPhone {
      options["mobileEmulation"] = [
        "deviceMetrics": ["width": 390, "height": 844, "pixelRatio": 2, "touch": true]
      ]
    }
    let wanted: [String: Any] = ["goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"]]
    let made = try ask("POST", "/session", ["capabilities": ["alwaysMatch": wanted]])
    session = "/session/" + ((made as? [String: Any])?["sessionId"] as? String ?? "")
    // What runs in the page may be slow where much else runs.
    _ = try ask("POST", session + "/timeouts", ["script": 80_000])
    if isDark {
      let dark = ["name": "prefers-color-scheme", "value": "dark"]
      _ = try ask(
        "POST", session + "/goog/cdp/execute",
        ["cmd": "Emulation.setEmulatedMedia", "params": ["features": [dark]]])
    }
  }

  deinit {
    _ = try? ask("DELETE", session, nil)
    driver.terminate()
  }

  func open(_ address: String) throws { _ = try ask("POST", session + "/url", ["url": address]) }

  /// Runs the body of a function.
  @discardableResult
  func run(_ script: String, _ arguments: Any...) throws -> Any? {
    try ask("POST", session + "/execute/sync", ["script": script, "args": arguments])
  }

  /// Runs the body of an async function to its end.
  func runToEnd(_ script: String, _ arguments: Any...) throws -> Any? {
    let body = """
      const done = arguments[arguments.length - 1];
      (async (...given) => { \(script) })(...arguments).then(done, (error) => done("failed: " + (error.stack ?? error)));
      """
    return try ask("POST", session + "/execute/async", ["script": body, "args": arguments])
  }

  /// Waits until an expression is true.
  func wait(until condition: String, seconds: Double = 30, doing action: String = "") throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while Date() < deadline {
      if try run("\(action); return Boolean(\(condition))") as? Bool == true { return }
      usleep(20_000)
    }
    let page = try run("return document.body.innerText.slice(0, 1000)") as? String ?? ""
    throw TestFailure("it never became true: \(condition)\n\(try console())\n\(page)")
  }

  func texts(_ selector: String) throws -> [String] {
    try run("return [...document.querySelectorAll(arguments[0])].map((found) => found.textContent)", selector)
      as? [String] ?? []
  }

  /// A finger that goes down the middle of the screen.
  func pullDown() throws {
    let moves: [[String: Any]] = [
      ["type": "pointerMove", "duration": 0, "x": 195, "y": 200], ["type": "pointerDown", "button": 0],
      ["type": "pointerMove", "duration": 100, "x": 195, "y": 320],
      ["type": "pointerMove", "duration": 100, "x": 195, "y": 560], ["type": "pointerUp", "button": 0],
    ]
    let finger: [String: Any] = [
      "type": "pointer", "id": "finger", "parameters": ["pointerType": "touch"], "actions": moves,
    ]
    _ = try ask("POST", session + "/actions", ["actions": [finger]])
  }

  /// What was written to the console since the last time.
  func console() throws -> [Entry] {
    let entries = try ask("POST", session + "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
    return entries.map { Entry(source: $0["source"] as? String ?? "", text: $0["message"] as? String ?? "") }
  }

  /// Writes what is on the screen to `FOLDER/NAME.png`, where `LISTWAY_SCREENSHOTS` names a folder.
  func show(_ name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["LISTWAY_SCREENSHOTS"] else { return }
    let text = try ask("GET", session + "/screenshot", nil) as? String ?? ""
    try Data(base64Encoded: text)?.write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
  }

  private func ask(_ method: String, _ path: String, _ content: [String: Any]?) throws -> Any? {
    let body = try content.map { Array(try JSONSerialization.data(withJSONObject: $0)) }
    let client = try TestClient(port: port, timeout: 90)
    let answer = try client.request(method, path, fields: [("Content-Type", "application/json")], body: body)
    let value =
      (try JSONSerialization.jsonObject(with: Data(answer.body), options: .fragmentsAllowed) as? [String: Any])?[
        "value"]
    guard answer.status == 200 else { throw TestFailure("\(method) \(path): \(answer.text.prefix(2_000))") }
    return value
  }
}
