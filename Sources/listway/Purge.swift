import Configuration
import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import JSON

/// What `listway purge` is to have forgotten.
struct PurgeOptions: Equatable {
  var file: String
  /// Nil for all lists.
  var list: String?
  /// Parameters of the list, in the order they were given; none for all of it.
  var parameters: [PullOptions.Argument] = []
}

extension Command {
  /// `FILE [LIST [NAME=VALUE …]]`.
  static func purgeOptions(_ words: [String]) throws(CommandLineFailure) -> PurgeOptions {
    if let option = words.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      throw CommandLineFailure(message: "unknown option \"\(option)\"; purge takes FILE, LIST and NAME=VALUE")
    }
    guard let file = words.first else {
      throw CommandLineFailure(message: "purge wants a configuration file")
    }
    var options = PurgeOptions(file: file)
    options.list = words.count > 1 ? words[1] : nil
    for word in words.dropFirst(2) { options.parameters.append(try pullArgument(word)) }
    return options
  }
}

/// Has a running gateway forget pages, by its admin port.
enum Purge {
  private static let patience = Duration.seconds(10)

  /// - Returns: the program's exit status.
  static func run(_ options: PurgeOptions, _ admin: Configuration.Listener) -> Int32 {
    guard let authority = AdminPort.authority(of: admin) else {
      Terminal.error(
        "listway purge: the admin listener is a Unix socket, which this cannot ask; give it a port")
      return ExitStatus.failed
    }
    var target = "http://\(authority)/purge"
    var separator = "?"
    let parameters =
      (options.list.map { [("list", $0)] } ?? []) + options.parameters.map { ($0.name, $0.value) }
    for (name, value) in parameters {
      target +=
        "\(separator)\(PercentEncoding.encode(name, for: .query))=\(PercentEncoding.encode(value, for: .query))"
      separator = "&"
    }
    do {
      switch try AdminPort.ask(.post, target, within: patience) {
      case .success(let response): return report(response)
      case .failure(let failure):
        Terminal.error("listway purge: \(authority): \(failure.kind.rawValue): \(failure.detail)")
      }
    } catch {
      Terminal.error("listway purge: \(error)")
    }
    return ExitStatus.failed
  }

  private static func report(_ response: TransportResponse) -> Int32 {
    guard let document = try? Parser(maximumDepth: 16).parse(response.body) else {
      Terminal.error("listway purge: the admin port answers \(response.status), and not as a gateway does")
      return ExitStatus.failed
    }
    if response.status == 200, let header = document.value(named: "header", in: document.root),
      let count = document.value(named: "count", in: header)
    {
      Terminal.print("\(document.numberText(of: count) ?? "no") pages forgotten")
      return ExitStatus.done
    }
    let message = document.value(named: "message", in: document.root).flatMap { document.text(of: $0) }
    Terminal.error("listway purge: \(message ?? "the admin port answers \(response.status)")")
    return response.status == 400 || response.status == 404 ? ExitStatus.usage : ExitStatus.failed
  }
}
