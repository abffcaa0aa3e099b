/// The rings and targets that Package.swift declares, read from its text.
struct PackageMap: Sendable {
  struct Target: Sendable {
    let name: String
    let needs: [String]
  }

  struct Ring: Sendable {
    let name: String
    let targets: [Target]
  }

  /// From the inside out.
  let rings: [Ring]

  /// - Parameter manifest: the text of Package.swift. A ring is an array `let NAME: [Target] = [ … ]` whose last bracket
  ///   opens its line; a target gives its name first and what it needs after.
  init(manifest: String) {
    rings = ["systemLibraries", "kernels", "application", "adapters", "program", "products"].map { name in
      let lines = manifest.split(separator: "\n").drop { !$0.starts(with: "let \(name):") }.dropFirst()
      let calls = lines.prefix { !$0.starts(with: "]") }.joined(separator: "\n")
        .split(separator: /(library|system|\.systemLibrary|\.target|\.executableTarget)\(/)
      return Ring(
        name: name,
        targets: calls.compactMap { call in
          let strings = call.matches(of: /"([^"]*)"/).map { String($0.1) }
          // What a C library names after itself is its path and its Debian package.
          return strings.first.map {
            Target(name: $0, needs: name == "systemLibraries" ? [] : Array(strings.dropFirst()))
          }
        })
    }
  }

  func ring(of target: String) -> String? {
    rings.first { $0.targets.contains { $0.name == target } }?.name
  }

  func needs(of target: String) -> [String] {
    rings.lazy.flatMap(\.targets).first { $0.name == target }?.needs ?? []
  }

  /// Each edge that does not point inward: to a ring outside, to no ring, or from one adapter to another.
  var outwardEdges: [String] {
    var inner: Set<String> = []
    var edges: [String] = []
    for ring in rings {
      let own = Set(ring.targets.map(\.name))
      for target in ring.targets {
        let allowed = ring.name == "adapters" ? inner : inner.union(own)
        edges += target.needs.filter { !allowed.contains($0) }.map { "\(target.name) -> \($0)" }
      }
      inner.formUnion(own)
    }
    return edges
  }
}
