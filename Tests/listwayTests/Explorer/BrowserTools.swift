import Foundation
import TestSupport

/// What `Tests/Browser/install` installs of PyPI.
enum BrowserTools {
  /// What `Tests/Browser/install --check` says: where the tools are, or why there are none.
  static let folder: (path: String?, reason: String) = {
    let script = "\(Repository.root)/Tests/Browser/install"
    guard let folder = try? TemporaryFolder(),
      let child = try? Child(script, ["--check"], output: "\(folder.path)/said")
    else { return (nil, "\(script) cannot be run") }
    let status = child.wait()
    let said = String(decoding: (try? folder.read("said")) ?? [], as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return status == 0 ? (said, "") : (nil, said)
  }()

  static var python: String? { folder.path.map { "\($0)/bin/python" } }

  /// The source of axe-core, which runs within a page.
  static let axe: String? = folder.path.flatMap { folder in
    let found = FileManager.default.enumerator(atPath: "\(folder)/lib")?
      .first { ($0 as? String)?.hasSuffix("/axe.min.js") == true }
    return (found as? String).flatMap { try? String(contentsOfFile: "\(folder)/lib/\($0)", encoding: .utf8) }
  }
}
