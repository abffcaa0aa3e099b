import Configuration
import Foundation
import ListwayClient
import TestSupport
import Testing
import YAMLReader

@testable import Gateway

/// The README says what the code does: its tables, its names and its examples are held to it.
@Suite("Documentation")
struct DocumentationTests {
  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()
  private let readme = try? String(contentsOf: top.appendingPathComponent("README.md"), encoding: .utf8)

  @Test("every failure is in the README's table, with its status and its HTTP status")
  func failures() throws {
    let readme = try #require(readme)
    for code in GatewayError.Code.allCases {
      let row = try #require(
        readme.split(separator: "\n").first { $0.contains("`\(code.rawValue)`") && $0.hasPrefix("| ") },
        "\(code.rawValue) is missing")
      #expect(row.hasPrefix("| \(code.envelopeStatus) |"), "\(row)")
      #expect(row.contains("\(code.httpStatus)"), "\(row)")
    }
  }

  @Test("the Swift client knows every failure by its name")
  func clientCodes() {
    let known = Set(ListwayError.Code.allCases.map(\.rawValue))
    #expect(known.subtracting(["unknown"]) == Set(GatewayError.Code.allCases.map(\.rawValue)))
  }

  @Test("every route that is served is in the README")
  func routes() throws {
    let readme = try #require(readme)
    for route in Route.allCases where route != .unknown {
      #expect(readme.contains(route.rawValue), "\(route)")
    }
  }

  @Test("every configuration in the README is valid")
  func configurations() throws {
    let readme = try #require(readme)
    let blocks = readme.components(separatedBy: "```yaml\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(throws: Never.self) {
        try ConfigurationFile.load(
          text: Array(block.utf8), name: "README.md", environment: { _ in String(repeating: "k", count: 32) },
          secretFile: { _ in .unreadable("none") })
      }
    }
  }

  @Test("the README's first answer is the demo's, apart from cursor and request id")
  func firstAnswer() throws {
    let readme = try #require(readme)
    let shown = try #require(
      readme.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "\n```").first)
    let (port, admin, upstream, faults) = (freePort(), freePort(), freePort(), freePort())
    let program = try Program([
      "demo", "--port", "\(port)", "--admin-port", "\(admin)", "--upstream-port", "\(upstream)",
      "--faults-port",
      "\(faults)",
    ])
    try program.waitUntilListening(on: port)
    let answer = try TestClient(port: port).request("GET", "/v1/lists/notices?limit=2").text
    let masked = { (text: String) in
      text.replacing(#/"next":"[^"]*"/#, with: "").replacing(#/"requestId":"[^"]*"/#, with: "").filter {
        !$0.isWhitespace
      }
    }
    #expect(masked(answer) == masked(shown))
  }
}
