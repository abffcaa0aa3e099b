import Testing

@Suite("Architecture")
struct ArchitectureTests {
  private static let manifest = PackageMap(manifest: Repository.text(of: "Package.swift"))

  /// A package of the same shape as ours, for the samples.
  private static let sampleMap = PackageMap(
    manifest: """
      let systemLibraries: [Target] = [
        .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        system("CNew", apt: "libnew-dev"),
        .target(
          name: "CSimdJSON", path: "Sources/System/CSimdJSON"),
      ]

      let kernels: [Target] = [
        library("HTTPSemantics"),
        library("JSON", "CSimdJSON"),
        library("Paging", "HTTPSemantics", "JSON"),
      ]

      let application: [Target] = [
        library("EventLoop", "CLinux"),
        library("Gateway", "EventLoop", "Paging"),
      ]

      let adapters: [Target] = [
        library(
          "CurlClient", "CCurl",
          "Gateway"),
        library("MicrohttpdServer", "Gateway"),
      ]

      let program: [Target] = [
        .executableTarget(
          name: "listway",
          dependencies: dependencies(["CurlClient", "MicrohttpdServer"]))
      ]

      let products: [Target] = [
        library("SampleClient")
      ]
      """)

  @Test("every source keeps the rule", arguments: Rule.all)
  func kept(_ rule: Rule) {
    let violations = Repository.sources.flatMap { file in
      rule.violations(file, Self.manifest).map { "\(file.path):\($0)" }
    }
    #expect(violations == [])
  }

  @Test("the rule finds what breaks it, and nothing in what keeps it", arguments: Rule.all)
  func samples(_ rule: Rule) {
    for sample in rule.broken {
      let file = SourceFile(path: sample.path, text: sample.text)
      #expect(rule.violations(file, Self.sampleMap) != [], "\(sample)")
    }
    for sample in rule.kept {
      let file = SourceFile(path: sample.path, text: sample.text)
      #expect(rule.violations(file, Self.sampleMap) == [], "\(sample)")
    }
  }

  @Test("the rules see the whole project: every ring's every target has sources")
  func seesAll() {
    #expect(Self.manifest.rings.map(\.targets.count).allSatisfy { $0 > 0 })
    let targets = Set(Repository.sources.compactMap(\.target))
    #expect(targets == Set(Self.manifest.rings.dropFirst().flatMap { $0.targets.map(\.name) }))
    #expect(Set(Self.manifest.rings[0].targets.map(\.name)) == Set(Rule.owners.keys))
  }

  @Test("dependencies point inward, and adapters know nothing of each other")
  func inward() {
    #expect(Self.manifest.outwardEdges == [])
    #expect(Self.sampleMap.outwardEdges == [])
    let wrong = PackageMap(
      manifest: """
        let kernels: [Target] = [
          library("JSON", "Gateway"),
          library("Paging", "JSON"),
        ]
        let application: [Target] = [
          library("Gateway", "Paging", "Curl"),
        ]
        let adapters: [Target] = [
          library("Curl", "Gateway"),
          library("Server", "Gateway", "Curl"),
        ]
        """)
    #expect(wrong.outwardEdges == ["JSON -> Gateway", "Gateway -> Curl", "Server -> Curl"])
  }

  @Test("the top level holds what a newcomer expects there, and nothing else")
  func topLevel() {
    let allowed: Set = ["Package.swift", "Sources", "Tests", "config", "Dockerfile", "README.md"]
    let entries = Set(Repository.files.map { String($0.prefix { $0 != "/" }) })
    #expect(entries.filter { !allowed.contains($0) && !$0.hasPrefix(".") } == [])
    #expect(entries.contains("Package.swift"))
  }

  @Test("words, comments and strings are told apart")
  func scanning() {
    let file = SourceFile(
      path: "A.swift",
      text: #"""
        let a = "x // \" y" + b // c "d"
        /* e /* f */ g */ h
        let i = """
          public "quoted"
          """ + j
        let k = #"\" public"# + ""
        try! l as! m; try !n
        """#)
    #expect(
      file.lines.map { $0.words.joined(separator: " ") } == [
        "let a = + b", "h", "let i =", "", "+ j", "let k = +", "try! l as! m ; try ! n",
      ])
    #expect(file.lines.map(\.comment) == ["// c \"d\"", " e  f  g ", "", "", "", "", ""])
  }
}
