import Testing

/// What every source must keep that the compiler does not hold, with samples that show the rule at work.
struct Rule: Sendable, CustomTestStringConvertible {
  /// A file that might be: where it would be, and what it would say.
  typealias Sample = (path: String, text: String)

  let statement: String
  /// What of the file breaks the rule, as "line: what".
  let violations: @Sendable (SourceFile, PackageMap) -> [String]
  let broken: [Sample]
  let kept: [Sample]

  var testDescription: String { statement }

  static let all = [
    ownersOfC, noFoundation, pureKernels, declaredImports, noPublic, noForce, soundEscapes, noNotesToSelf,
    shortFiles, onTheMap,
  ]

  /// The C libraries, and the only targets that may touch each.
  static let owners: [String: Set<String>] = [
    "CBrotli": ["Compression"],
    "CCurl": ["CurlClient"],
    "CHiredis": ["RedisStore"],
    "CIconv": ["TextEncoding"],
    "CLinux": ["EventLoop", "listway"],
    "CMicrohttpd": ["MicrohttpdServer"],
    "COpenSSL": ["OpenSSLSealer"],
    "CSimdJSON": ["JSON"],
    "CSQLite": ["SQLiteStore"],
    "CYAML": ["YAMLReader"],
    "CZlib": ["Compression"],
    "CZstd": ["Compression"],
  ]

  static let ownersOfC = Rule(
    statement: "a C library is imported by its owner only",
    violations: { file, map in
      file.imports.filter { use in
        (owners[use.module] != nil || map.ring(of: use.module) == "systemLibraries")
          && !(owners[use.module]?.contains(file.target ?? "") ?? false)
      }.map { "\($0.line): \($0.module)" }
    },
    broken: [
      ("Sources/Gateway/A.swift", "import CCurl"),
      ("Sources/MicrohttpdServer/A.swift", "import Glibc\n@preconcurrency internal import CYAML"),
      ("Sources/JSON/A.swift", "import func COpenSSL.RAND_bytes"),
      ("Sources/Gateway/A.swift", "import CNew"),
      ("Tests/GatewayTests/A.swift", "import CMicrohttpd"),
    ],
    kept: [
      ("Sources/CurlClient/A.swift", "import CCurl"),
      ("Sources/Gateway/A.swift", "// import CCurl\nlet text = \"import CCurl\""),
    ])

  static let noFoundation = Rule(
    statement: "no source of the server's imports Foundation, nor a part of it",
    violations: { file, map in
      guard let target = file.target, map.ring(of: target) != "products" else { return [] }
      return file.imports.filter { $0.module.hasPrefix("Foundation") }.map { "\($0.line): \($0.module)" }
    },
    broken: [
      ("Sources/Gateway/A.swift", "import Foundation"),
      ("Sources/listway/A.swift", "package import FoundationEssentials"),
    ],
    kept: [("Tests/GatewayTests/A.swift", "import Foundation")])

  static let pureKernels = Rule(
    statement: "a kernel has no clock, lock, task, socket or random source: of Glibc, memory functions only",
    violations: { file, map in
      guard let target = file.target, map.ring(of: target) == "kernels" else { return [] }
      let inner: Set = ["systemLibraries", "kernels"]
      let memory: Set = ["free", "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset", "realloc"]
      let imports = file.imports.filter { use in
        !inner.contains(map.ring(of: use.module) ?? "")
          && !(use.module == "Glibc" && memory.contains(use.declaration ?? ""))
      }.map { "\($0.line): \($0.module)" }
      let words = ["async", "await", "actor", "Task", "SystemRandomNumberGenerator"]
      return imports + words.flatMap { word in file.lines(with: word).map { "\($0): \(word)" } }
        + file.lines(with: ".", "now").map { "\($0): .now" }
    },
    broken: [
      ("Sources/Paging/A.swift", "import Glibc"),
      ("Sources/Paging/A.swift", "import func Glibc.clock_gettime"),
      ("Sources/JSON/A.swift", "import Synchronization"),
      ("Sources/HTTPSemantics/A.swift", "package import Gateway"),
      ("Sources/Paging/A.swift", "let start = ContinuousClock.now"),
      ("Sources/Paging/A.swift", "func next() async {}"),
      ("Sources/Paging/A.swift", "var random = SystemRandomNumberGenerator()"),
    ],
    kept: [
      ("Sources/Paging/A.swift", "import JSON\nfunc advance(at now: ContinuousClock.Instant) {}"),
      ("Sources/JSON/A.swift", "import CSimdJSON\ninternal import func Glibc.memcpy"),
      ("Sources/Gateway/A.swift", "import Glibc\nlet start = ContinuousClock.now"),
    ])

  static let declaredImports = Rule(
    statement:
      "a source imports what Package.swift names for its target, Glibc and Synchronization, and nothing else",
    violations: { file, map in
      guard let target = file.target else { return [] }
      let own =
        map.ring(of: target) == "products"
        ? ["Foundation", "FoundationNetworking", "Observation", "Synchronization"]
        : ["Glibc", "Synchronization"]
      let allowed = Set(map.needs(of: target) + own)
      return file.imports.filter { !allowed.contains($0.module) }.map { "\($0.line): \($0.module)" }
    },
    broken: [
      ("Sources/CurlClient/A.swift", "import MicrohttpdServer"),
      ("Sources/JSON/A.swift", "import Paging"),
      ("Sources/Gateway/A.swift", "import Dispatch"),
      ("Sources/SampleClient/A.swift", "import Gateway"),
    ],
    kept: [("Sources/CurlClient/A.swift", "import CCurl\nimport Gateway\nimport Synchronization")])

  static let noPublic = Rule(
    statement: "nothing is public but in a product: the package is the outermost scope",
    violations: { file, map in
      guard let target = file.target, map.ring(of: target) != "products" else { return [] }
      return file.lines(with: "public").map { "\($0): public" }
    },
    broken: [
      ("Sources/JSON/A.swift", "struct A {\n  public let a = 1\n}"),
      ("Sources/JSON/A.swift", "public import Paging"),
    ],
    kept: [
      ("Sources/JSON/A.swift", "/// For the public.\npackage let directive = \"public\", isPublic = true"),
      ("Sources/SampleClient/A.swift", "public import Foundation\npublic struct A {}"),
    ])

  static let noForce = Rule(
    statement: "no try! and no as!",
    violations: { file, _ in
      guard file.target != nil else { return [] }
      return ["try!", "as!"].flatMap { word in file.lines(with: word).map { "\($0): \(word)" } }
    },
    broken: [
      ("Sources/JSON/A.swift", "let a = try! parse()"),
      ("Sources/JSON/A.swift", "let a = b as! Int"),
    ],
    kept: [("Sources/JSON/A.swift", "let a = try !parse()  // not try!\nlet b = c as? Int ?? \"as! \"")])

  static let soundEscapes = Rule(
    statement: "each escape from the concurrency checks has a comment that says why it is sound",
    violations: { file, _ in
      guard file.target != nil else { return [] }
      let escapes =
        file.lines(with: "@", "unchecked", "Sendable") + file.lines(with: "nonisolated", "(", "unsafe", ")")
      return escapes.filter { line in
        !file.lines[max(0, line - 7)..<line].contains { $0.comment.lowercased().contains("sound") }
      }.map { "\($0): unexplained" }
    },
    broken: [
      ("Sources/EventLoop/A.swift", "/// A loop.\nfinal class A: @unchecked Sendable {}"),
      ("Sources/EventLoop/A.swift", "// Sound.\n\n\n\n\n\n\n\nnonisolated(unsafe) let a = b"),
    ],
    kept: [
      ("Sources/EventLoop/A.swift", "// Sound: one thread only.\nnonisolated(unsafe) let a = b"),
      (
        "Sources/EventLoop/A.swift",
        "/// - Note: `@unchecked` is sound since it is immutable.\n@safe\nfinal class A: @unchecked Sendable {"
      ),
    ])

  static let noNotesToSelf = Rule(
    statement: "no comment puts work off",
    violations: { file, _ in
      let notes = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
      return file.lines.enumerated().compactMap { index, line in
        notes.first { line.comment.contains($0) }.map { "\(index + 1): \($0)" }
      }
    },
    broken: [
      ("Sources/JSON/A.swift", "let a = 1  // TO" + "DO: two"),
      ("Tests/JSONTests/A.swift", "/*\n FIX" + "ME\n*/"),
    ],
    kept: [("Sources/JSON/A.swift", "// All is done.")])

  static let shortFiles = Rule(
    statement: "no file is longer than 600 lines",
    violations: { file, _ in file.lines.count > 601 ? ["\(file.lines.count - 1) lines"] : [] },
    broken: [("Tests/JSONTests/A.swift", String(repeating: "\n", count: 601))],
    kept: [("Sources/JSON/A.swift", String(repeating: "\n", count: 600))])

  static let onTheMap = Rule(
    statement: "every source belongs to a target that Package.swift puts in a ring",
    violations: { file, map in
      guard file.path.hasPrefix("Sources/") else { return [] }
      return file.target.flatMap(map.ring) == nil ? ["in no ring"] : []
    },
    broken: [
      ("Sources/Stray/A.swift", ""),
      ("Sources/A.swift", ""),
    ],
    kept: [
      ("Sources/JSON/A.swift", ""),
      ("Sources/listway/A.swift", ""),
    ])
}
