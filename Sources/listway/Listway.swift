import Configuration
import Glibc
import YAMLReader

/// The program.
@main
enum Listway {
  static let version = "0.1.0"

  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    do throws(CommandLineFailure) {
      exit(run(try Command.parse(words)))
    } catch {
      Terminal.error("listway: \(error.message)\n\n\(Command.usage)")
      exit(ExitStatus.usage)
    }
  }

  private static func run(_ command: Command) -> Int32 {
    switch command {
    case .help:
      Terminal.print(Command.usage)
      return ExitStatus.done
    case .version:
      Terminal.print("listway \(version)")
      return ExitStatus.done
    case .check(let file): return check(file)
    case .serve(let file, let store):
      guard var configuration = load(file), mayBeServed(configuration, file) else { return ExitStatus.usage }
      if let store, !configuration.namesStore { configuration.store = .embedded(store) }
      return Service.run(configuration, name: file)
    case .demo(let options): return Demo.run(options)
    case .pull(let options):
      guard let configuration = load(options.file) else { return ExitStatus.usage }
      return Pull.run(options, configuration)
    case .purge(let options):
      guard let configuration = load(options.file) else { return ExitStatus.usage }
      return Purge.run(options, configuration.admin)
    case .probe(let options): return Probe.run(options)
    case .healthcheck(let file): return healthcheck(file)
    case .key(let name): return MakeKey.run(name: name)
    }
  }

  /// Whether it is said who may ask, where others reach the address.
  private static func mayBeServed(_ configuration: Configuration, _ file: String) -> Bool {
    guard let problem = configuration.undeclaredAccess else { return true }
    Terminal.error("\(file): error: access: \(problem)")
    return false
  }

  private static func check(_ file: String) -> Int32 {
    guard let configuration = load(file), mayBeServed(configuration, file) else { return ExitStatus.usage }
    let lists = configuration.listCount
    let upstreams = configuration.upstreams.count
    Terminal.print(
      "\(file): valid: \(lists) \(lists == 1 ? "list" : "lists"), "
        + "\(upstreams) \(upstreams == 1 ? "upstream" : "upstreams")")
    return ExitStatus.done
  }

  private static func healthcheck(_ file: String?) -> Int32 {
    let admin: Configuration.Listener
    if let file {
      guard let configuration = load(file) else { return ExitStatus.usage }
      admin = configuration.admin
    } else if unsafe access(Command.defaultFile, R_OK) == 0 {
      guard let configuration = load(Command.defaultFile) else { return ExitStatus.usage }
      admin = configuration.admin
    } else {
      admin = .administrators
    }
    return Healthcheck.run(admin)
  }

  /// Reads and decodes a configuration file; what is wrong with it goes to standard error.
  private static func load(_ file: String) -> Configuration? {
    switch FileSystem.content(of: file) {
    case .unreadable(let reason):
      Terminal.error(
        "\(file): error: cannot be read: \(reason). Name a configuration file, or try `listway demo`, which needs none."
      )
      return nil
    case .content(let text):
      return load(text, name: file) { name in FileSystem.environment(name) }
    }
  }

  /// Decodes a configuration; what is wrong with it goes to standard error.
  static func load(
    _ text: [UInt8], name: String, environment: @escaping (String) -> String?
  ) -> Configuration? {
    do throws(ConfigurationFaults) {
      return try ConfigurationFile.load(
        text: text, name: name, environment: environment, secretFile: FileSystem.content)
    } catch {
      Terminal.error(error.description)
      return nil
    }
  }
}

enum ExitStatus {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let usage: Int32 = 2
}
