// swift-tools-version: 6.3
import PackageDescription

// Four rings; imports point inward only: program, adapters, application, kernels.
// What a ring may import is what is named here; ArchitectureTests hold the rest.

let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  // The debug build, which all tests run on, finds overlapping accesses; looking for them again on every request costs
  // 3 % of it. Calls across modules that are inlined save as much again.
  .unsafeFlags(
    ["-enforce-exclusivity=unchecked", "-cross-module-optimization"], .when(configuration: .release)),
]

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

func library(_ name: String, _ needs: String...) -> Target {
  .target(name: name, dependencies: dependencies(needs), swiftSettings: house + [.strictMemorySafety()])
}

func tests(_ name: String, _ needs: String...) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies(["TestSupport"] + needs), swiftSettings: house)
}

func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let systemLibraries: [Target] = [
  .systemLibrary(name: "CIconv", path: "Sources/System/CIconv"),
  .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
  system("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
  system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
  system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
  system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
  // Its pkg-config file has a flag that SwiftPM does not take.
  system("CHiredis", apt: "libhiredis-dev"),
  system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
  system("CBrotli", pkgConfig: "libbrotlienc", apt: "libbrotli-dev"),
  system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
  system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
  .target(
    name: "CSimdJSON", path: "Sources/System/CSimdJSON",
    cxxSettings: [.unsafeFlags(["-O3", "-DNDEBUG"])],
    linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
]

let kernels: [Target] = [
  library("HTTPSemantics"),
  library("JSON", "CSimdJSON"),
  library("Resilience"),
  library("Access", "HTTPSemantics", "JSON", "Resilience"),
  library("Caching", "HTTPSemantics"),
  library("Paging", "HTTPSemantics", "JSON"),
]

let application: [Target] = [
  library("EventLoop", "CLinux"),
  library("Telemetry", "HTTPSemantics", "JSON"),
  library("TextEncoding", "CIconv", "JSON"),
  library("Configuration", "Access", "HTTPSemantics", "JSON", "Paging", "Resilience", "TextEncoding"),
  library(
    "Gateway", "Access", "Caching", "Configuration", "EventLoop", "HTTPSemantics", "JSON", "Paging",
    "Resilience",
    "Telemetry",
    "TextEncoding"),
]

let adapters: [Target] = [
  library("MicrohttpdServer", "CMicrohttpd", "EventLoop", "Gateway", "HTTPSemantics", "JSON"),
  library("CurlClient", "CCurl", "EventLoop", "Gateway", "HTTPSemantics", "JSON"),
  library("Compression", "CBrotli", "CZlib", "CZstd", "Gateway", "HTTPSemantics", "JSON"),
  library("YAMLReader", "CYAML", "Configuration"),
  library("OpenSSLSealer", "COpenSSL", "Access", "Gateway", "HTTPSemantics"),
  library("SQLiteStore", "CSQLite", "EventLoop", "Gateway", "Telemetry"),
  library("RedisStore", "CHiredis", "EventLoop", "Gateway", "Telemetry"),
]

// The page at `/`, compiled into the program.
let explorer: [Resource] = [.embedInCode("Resources")]

let program: [Target] = [
  .executableTarget(
    name: "listway",
    dependencies: dependencies([
      "Access", "CLinux", "Compression", "Configuration", "CurlClient", "EventLoop", "Gateway",
      "HTTPSemantics", "JSON",
      "MicrohttpdServer",
      "OpenSSLSealer", "Paging", "RedisStore", "SQLiteStore", "Telemetry", "YAMLReader",
    ]),
    resources: explorer,
    swiftSettings: house + [.strictMemorySafety()])
]

// For those who build apps on Listway: without C, and without anything of the server's.
let products: [Target] = [
  library("ListwayClient")
]

let testing: [Target] = [
  .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: house),
  .target(
    name: "StoreDoubles",
    dependencies: dependencies(["EventLoop", "Gateway", "HTTPSemantics", "JSON", "TestSupport"]),
    path: "Tests/StoreDoubles", swiftSettings: house),
  tests("HTTPSemantics", "HTTPSemantics"),
  .target(
    name: "JSONReference", path: "Tests/JSONReference",
    linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
  tests("JSON", "JSON", "JSONReference"),
  tests("Resilience", "Resilience"),
  tests("Access", "Access", "HTTPSemantics", "JSON", "Resilience"),
  tests("Caching", "Caching", "HTTPSemantics"),
  tests("Paging", "Paging", "HTTPSemantics", "JSON"),
  tests("EventLoop", "EventLoop"),
  tests("Telemetry", "Telemetry", "HTTPSemantics", "JSON"),
  tests("TextEncoding", "TextEncoding", "JSON"),
  tests(
    "Configuration", "Access", "Configuration", "YAMLReader", "Paging", "JSON", "HTTPSemantics", "Resilience"),
  tests(
    "Gateway", "Access", "Caching", "Compression", "Gateway", "Configuration", "EventLoop", "HTTPSemantics",
    "JSON",
    "OpenSSLSealer", "Paging",
    "Resilience", "StoreDoubles", "Telemetry", "YAMLReader"),
  tests("MicrohttpdServer", "MicrohttpdServer", "EventLoop", "Gateway", "HTTPSemantics", "JSON"),
  tests("CurlClient", "CurlClient", "EventLoop", "Gateway", "HTTPSemantics", "JSON"),
  tests("Compression", "Compression", "CurlClient", "EventLoop", "Gateway", "HTTPSemantics", "JSON"),
  tests("RedisStore", "RedisStore", "EventLoop", "Gateway", "StoreDoubles", "Telemetry"),
  tests("SQLiteStore", "SQLiteStore", "Gateway", "StoreDoubles", "Telemetry"),
  tests("OpenSSLSealer", "Access", "OpenSSLSealer", "Gateway", "HTTPSemantics", "JSON"),
  tests("ListwayClient", "ListwayClient"),
  tests(
    "listway", "Configuration", "Gateway", "HTTPSemantics", "JSON", "ListwayClient", "Paging", "Telemetry",
    "TextEncoding", "YAMLReader"),
]

// Fuzz targets link only with `--sanitize fuzzer`, so a plain build does not see them.
func fuzz(_ name: String, _ needs: String...) -> Target {
  .executableTarget(
    name: "fuzz-\(name.lowercased())", dependencies: dependencies(needs), path: "Tests/Fuzz/\(name)",
    exclude: ["corpus"], swiftSettings: house + [.unsafeFlags(["-parse-as-library"])])
}

let fuzzing: [Target] =
  Context.environment["LISTWAY_FUZZ"] == nil
  ? []
  : [
    fuzz("JSON", "JSON", "JSONReference"), fuzz("Link", "HTTPSemantics"),
    fuzz("Body", "HTTPSemantics", "JSON", "Paging"),
    fuzz("Cursor", "Gateway", "HTTPSemantics", "JSON", "OpenSSLSealer", "Paging"),
  ]

// What the benchmarks measure apart from whole requests.
let benchmarks: [Target] =
  Context.environment["LISTWAY_BENCHMARKS"] == nil
  ? []
  : [
    .executableTarget(
      name: "benchmark-slicing", dependencies: dependencies(["HTTPSemantics", "JSON", "Paging"]),
      path: "Tests/Benchmarks/Slicing", swiftSettings: house)
  ]

let package = Package(
  name: "listway",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "listway", targets: ["listway"]),
    .library(name: "ListwayClient", targets: ["ListwayClient"]),
  ],
  targets: systemLibraries + kernels + application + adapters + program + products + testing + fuzzing
    + benchmarks,
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17)
