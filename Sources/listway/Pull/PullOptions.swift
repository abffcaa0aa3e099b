import HTTPSemantics

/// What `listway pull` was asked for.
struct PullOptions: Equatable {
  struct Argument: Equatable {
    let name: String
    let value: String
  }

  var file: String
  var list: String
  var arguments: [Argument] = []
  var cursor: String?
  /// Items at most: 1 to ``mostWanted``.
  var limit: Int?
  /// Where the pull keeps how far it has come.
  var state: String?

  /// More than that is as good as all: no list is as long.
  static let mostWanted = 1_000_000_000_000
}

extension Command {
  /// `FILE LIST [NAME=VALUE …] [--cursor CURSOR] [--limit N] [--state FILE]`, options anywhere.
  static func pullOptions(_ words: [String]) throws(CommandLineFailure) -> PullOptions {
    var plain: [String] = []
    var values: [String: String] = [:]
    var position = 0
    while position < words.count {
      let word = words[position]
      position += 1
      guard word.hasPrefix("-") && word != "-" else {
        plain.append(word)
        continue
      }
      guard ["--cursor", "--limit", "--state"].contains(word) else {
        throw CommandLineFailure(
          message: "unknown option \"\(word)\" of pull; there are: --cursor, --limit, --state")
      }
      guard position < words.count else { throw CommandLineFailure(message: "\(word) wants a value") }
      guard values.updateValue(words[position], forKey: word) == nil else {
        throw CommandLineFailure(message: "\(word) is given more than once")
      }
      position += 1
    }
    guard plain.count >= 2 else {
      throw CommandLineFailure(message: "pull wants a configuration file and the name of a list")
    }
    var options = PullOptions(file: plain[0], list: plain[1])
    for word in plain.dropFirst(2) { options.arguments.append(try pullArgument(word)) }
    options.cursor = values["--cursor"]
    options.state = values["--state"]
    if let text = values["--limit"] {
      guard let limit = Int(text), limit >= 1 else {
        throw CommandLineFailure(message: "--limit: found \"\(text)\"; allowed: a whole number, 1 or more")
      }
      options.limit = min(limit, PullOptions.mostWanted)
    }
    return options
  }

  static func pullArgument(_ word: String) throws(CommandLineFailure) -> PullOptions.Argument {
    guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
      throw CommandLineFailure(
        message: "found \"\(word)\" behind the list; allowed: a parameter of the list as NAME=VALUE")
    }
    let name = String(word[..<equals])
    if name == "cursor" || name == "limit" {
      throw CommandLineFailure(message: "\(name) is not a parameter of lists here; say --\(name)")
    }
    return PullOptions.Argument(name: name, value: String(word[equals...].dropFirst()))
  }
}

extension PullOptions {
  /// The whole list's target, as a client would send it.
  ///
  /// - Parameter cursor: where to go on.
  func target(from cursor: String?) -> [UInt8] {
    var target = Array("/v1/lists/".utf8)
    PercentEncoding.encode(list, for: .segment, into: &target)
    target += "/all".utf8
    var parameters = arguments
    if let cursor { parameters.append(Argument(name: "cursor", value: cursor)) }
    if let limit { parameters.append(Argument(name: "limit", value: String(limit))) }
    for (index, parameter) in parameters.enumerated() {
      target.append(UInt8(ascii: index == 0 ? "?" : "&"))
      PercentEncoding.encode(parameter.name, for: .query, into: &target)
      target.append(UInt8(ascii: "="))
      PercentEncoding.encode(parameter.value, for: .query, into: &target)
    }
    return target
  }

  /// The command that goes on, for a shell.
  ///
  /// - Parameters:
  ///   - program: as it was called.
  ///   - cursor: nil where a state file tells, or where nothing has come yet.
  ///   - limit: items that are still wanted; nil for all.
  ///   - output: the file that is being written; nil when it is none.
  func command(_ program: String, from cursor: String?, limit: Int?, output: String?) -> String {
    var words = [program, "pull", file, list]
    words += arguments.map { "\($0.name)=\($0.value)" }
    if let cursor { words += ["--cursor", cursor] }
    if let limit { words += ["--limit", String(limit)] }
    if let state { words += ["--state", state] }
    return words.map(Self.quoted).joined(separator: " ") + (output.map { " >> " + Self.quoted($0) } ?? "")
  }

  /// One word of a shell's command line (POSIX shell, 2.2.2).
  static func quoted(_ word: String) -> String {
    let plain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
          UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "+"):
          true
        default: false
        }
      }
    return plain
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
