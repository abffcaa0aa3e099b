import Configuration
import Foundation
import Telemetry
import TestSupport
import Testing
import YAMLReader

@testable import Gateway

/// What operators start from says what the program does.
@Suite("The deployment files")
struct DeployTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/deploy")

  private static func text(of path: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("the configuration that they serve is valid")
  func configuration() throws {
    let text = try Self.text(of: "listway.yaml")
    let configuration = try ConfigurationFile.load(
      text: Array(text.utf8), name: "listway.yaml",
      environment: { $0 == "LISTWAY_CURSOR_KEY" ? String(repeating: "k", count: 32) : nil },
      secretFile: { _ in .unreadable("none") })
    // Longer than the balancer takes: its interval times its fall count.
    #expect(configuration.shutdown.delay >= .seconds(2))
  }

  @Test("Kubernetes serves the same configuration, and gives it time to stop")
  func configMap() throws {
    let map = try Self.text(of: "kubernetes/configmap.yaml")
    let served = try #require(map.components(separatedBy: "listway.yaml: |\n").last)
      .split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(4) }.joined(
        separator: "\n")
    let text = try Self.text(of: "listway.yaml")
    #expect(
      served == text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)[1].dropFirst())
    let deployment = try Self.text(of: "kubernetes/deployment.yaml")
    #expect(deployment.contains("terminationGracePeriodSeconds: 40"))
    #expect(text.contains("shutdown: {delay: 10s, grace: 20s}"))
  }

  @Test(
    "alerts and dashboard name figures that there are",
    arguments: [
      "prometheus/alerts.yaml", "prometheus/alerts.test.yaml", "grafana/dashboards/listway.json",
    ])
  func figures(path: String) throws {
    let names = Set(FigureNames.families.map(\.name))
    let used = try Self.text(of: path).matches(of: /\b(listway_[a-z_]+?)(_bucket|_sum|_count)?\b/)
      .map { String($0.1) }
    #expect(!used.isEmpty)
    for name in used { #expect(names.contains(name), "\(name)") }
  }

  @Test("the dashboard is JSON, and its panels have an expression each")
  func dashboard() throws {
    let data = try Data(contentsOf: Self.folder.appendingPathComponent("grafana/dashboards/listway.json"))
    let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    let drawn = panels.filter { $0["type"] as? String != "row" }
    #expect(drawn.count >= 15)
    for panel in drawn {
      let targets = try #require(panel["targets"] as? [[String: Any]])
      #expect(targets.contains { ($0["expr"] as? String)?.isEmpty == false }, "\(panel["title"] ?? "")")
    }
  }

  @Test(
    "each tool takes its file",
    arguments: [
      ["/usr/bin/promtool", "check", "rules", "prometheus/alerts.yaml"],
      ["/usr/bin/promtool", "test", "rules", "prometheus/alerts.test.yaml"],
      ["/usr/sbin/haproxy", "-c", "-f", "haproxy.cfg"],
    ].filter { FileManager.default.isExecutableFile(atPath: $0[0]) })
  func accepted(command: [String]) throws {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: output) }
    let arguments = command.dropFirst().map { word in
      word.contains(".") ? Self.folder.appendingPathComponent(word).path : word
    }
    let status = try Child(command[0], arguments, output: output.path).wait()
    #expect(status == 0, "\((try? String(contentsOf: output, encoding: .utf8)) ?? "")")
  }
}
