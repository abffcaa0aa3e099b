/// What the program was asked to do.
enum Command: Equatable {
  /// - Parameter store: a file of pages, where the configuration does not say where they are kept.
  case serve(file: String, store: String?)
  case check(file: String)
  case pull(PullOptions)
  case demo(DemoOptions)
  case probe(ProbeOptions)
  case purge(PurgeOptions)
  case healthcheck(file: String?)
  case key(name: String)
  case version
  case help

  /// Where the container keeps its configuration: what `serve`, `check` and `healthcheck` take when none is named.
  static let defaultFile = "/etc/listway/listway.yaml"
}

struct DemoOptions: Equatable {
  var address = "127.0.0.1"
  var port: UInt16 = 8080
  var adminPort: UInt16 = 9090
  var upstreamPort: UInt16 = 8081
  var faultsPort: UInt16 = 8082
  /// A file of pages; nil for none.
  var store: String?
}

/// What is wrong with the command line: what was found and what is allowed.
struct CommandLineFailure: Error, Equatable {
  let message: String
}

extension Command {
  static let usage = """
    Listway, an HTTP gateway for lists.

      listway serve [OPTION] [FILE]
                                  serve what FILE configures (default \(defaultFile))
      listway check [FILE]        validate FILE; print every error with its line and column
      listway pull FILE LIST      write all of a list to standard output, an item a line
      listway probe URL [OPTIONS] ask a list once; say what it is, why, and print the configuration for it
      listway purge FILE [LIST]   have the gateway that FILE configures forget the pages it knows, or those of LIST
      listway demo [OPTIONS]      serve a bundled demo upstream through the gateway
      listway key [NAME]          make an API key; print it, and what declares it in the configuration
      listway healthcheck [FILE]  ask the gateway that FILE configures whether it is alive
      listway version             print the version
      listway help                print this

    Option of serve:
      --store PAGES               keep known pages in the file PAGES, unless FILE says where (store:)

    Options of pull:
      NAME=VALUE                  a parameter of the list
      --cursor CURSOR             go on from there
      --limit N                   stop after N items
      --state FILE                keep the place in FILE; the same command goes on from it

    Options of purge:
      NAME=VALUE                  a parameter of the list: only what is known with these parameters

    Options of probe:
      --method METHOD             GET or POST (default: POST where there is content)
      --header "NAME: VALUE"      a header field; may be repeated
      --form NAME=VALUE           a form field; may be repeated
      --json JSON                 JSON content
      --name NAME                 the list's name in the configuration (default: made of the URL)
      --timeout SECONDS           for each request (default 20)
      --once                      do not ask for a second page; --follow does, which is the default

    Options of demo:
      --address ADDRESS           what the gateway listens on (default 127.0.0.1)
      --port PORT                 the gateway's port (default 8080)
      --admin-port PORT           its admin port: /metrics, /status (default 9090)
      --upstream-port PORT        the demo upstream's port (default 8081)
      --faults-port PORT          where the demo upstream's faults are switched (default 8082)
      --store PAGES               keep known pages in the file PAGES (default: in memory only)

    Exit status: 0 done, 1 failed, 2 wrong usage or configuration; of pull also 130 and 143 interrupted by SIGINT and
    SIGTERM, 141 nobody reads the output any more.
    """

  /// - Parameter words: the command line without the program's name.
  static func parse(_ words: [String]) throws(CommandLineFailure) -> Command {
    guard let name = words.first else { throw CommandLineFailure(message: "no command given") }
    let rest = Array(words.dropFirst())
    if rest.contains("--help") || rest.contains("-h") { return .help }
    switch name {
    case "serve": return try serve(rest)
    case "check": return .check(file: try onlyFile(rest, of: name) ?? defaultFile)
    case "healthcheck": return .healthcheck(file: try onlyFile(rest, of: name))
    case "pull": return .pull(try pullOptions(rest))
    case "purge": return .purge(try purgeOptions(rest))
    case "demo": return .demo(try demoOptions(rest))
    case "probe": return .probe(try ProbeOptions.parse(rest))
    case "key": return .key(name: try keyName(rest))
    case "version", "--version", "-V":
      try nothing(rest, after: name)
      return .version
    case "help", "--help", "-h":
      try nothing(rest, after: name)
      return .help
    default:
      throw CommandLineFailure(
        message:
          "unknown command \"\(name)\"; there are: serve, check, probe, pull, purge, demo, key, healthcheck, version, help"
      )
    }
  }

  private static func serve(_ words: [String]) throws(CommandLineFailure) -> Command {
    var rest = words
    var store: String?
    if let place = rest.firstIndex(of: "--store") {
      guard place + 1 < rest.count else { throw CommandLineFailure(message: "--store wants a value") }
      store = rest[place + 1]
      rest.removeSubrange(place...place + 1)
    }
    return .serve(file: try onlyFile(rest, of: "serve") ?? defaultFile, store: store)
  }

  private static func onlyFile(_ words: [String], of command: String) throws(CommandLineFailure) -> String? {
    if let option = words.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      throw CommandLineFailure(
        message: "unknown option \"\(option)\"; \(command) takes a file's path and nothing else")
    }
    guard words.count <= 1 else {
      throw CommandLineFailure(
        message: "\(command) takes one file, found \(words.count): \(words.joined(separator: " "))")
    }
    return words.first
  }

  private static func keyName(_ words: [String]) throws(CommandLineFailure) -> String {
    guard let name = words.first else { return "client" }
    let isName =
      name.utf8.count <= 64 && name.utf8.first.map(isLetterOrDigit) ?? false
      && name.utf8.allSatisfy { isLetterOrDigit($0) || "_-.".utf8.contains($0) }
    guard words.count == 1, isName else {
      throw CommandLineFailure(
        message: "key takes one name of letters, digits, _ - and ., 64 at most, a letter or digit first")
    }
    return name
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
  }

  private static func nothing(_ words: [String], after command: String) throws(CommandLineFailure) {
    guard words.isEmpty else {
      throw CommandLineFailure(message: "\(command) takes nothing more, found \"\(words[0])\"")
    }
  }

  private static func demoOptions(_ words: [String]) throws(CommandLineFailure) -> DemoOptions {
    var options = DemoOptions()
    var position = 0
    while position < words.count {
      let option = words[position]
      guard
        ["--address", "--port", "--admin-port", "--upstream-port", "--faults-port", "--store"]
          .contains(option)
      else {
        throw CommandLineFailure(
          message: "unknown option \"\(option)\" of demo; there are: --address, --port, --admin-port, "
            + "--upstream-port, --faults-port, --store")
      }
      guard position + 1 < words.count else { throw CommandLineFailure(message: "\(option) wants a value") }
      let value = words[position + 1]
      position += 2
      if option == "--address" {
        options.address = value
        continue
      }
      if option == "--store" {
        options.store = value
        continue
      }
      guard let port = UInt16(value) else {
        throw CommandLineFailure(message: "\(option): found \"\(value)\"; allowed: 0 to 65535")
      }
      switch option {
      case "--port": options.port = port
      case "--admin-port": options.adminPort = port
      case "--upstream-port": options.upstreamPort = port
      default: options.faultsPort = port
      }
    }
    return options
  }
}
