import HTTPSemantics
import JSON

/// What `listway probe` is to ask for.
struct ProbeOptions: Equatable {
  var url: String
  /// GET, or POST where there is content.
  var method: String?
  var headers: [Pair] = []
  var form: [Pair] = []
  /// The JSON content, as it was given.
  var json: String?
  /// The list's name in what is printed; made of the URL where nil.
  var name: String?
  /// Whether a second page is asked for, to confirm.
  var follows = true
  var timeout = 20

  /// A name and its value.
  struct Pair: Equatable {
    let name: String
    let value: String
  }
}

extension ProbeOptions {
  private static let options = [
    "--method", "--header", "--form", "--json", "--name", "--timeout", "--once", "--follow",
  ]

  /// - Parameter words: the command line behind `probe`.
  static func parse(_ words: [String]) throws(CommandLineFailure) -> ProbeOptions {
    var options = ProbeOptions(url: "")
    var position = 0
    while position < words.count {
      let word = words[position]
      position += 1
      guard word.hasPrefix("-") else {
        guard options.url.isEmpty else {
          throw CommandLineFailure(message: "probe takes one URL, found \"\(options.url)\" and \"\(word)\"")
        }
        options.url = word
        continue
      }
      switch word {
      case "--once": options.follows = false
      case "--follow": options.follows = true
      default:
        guard Self.options.contains(word) else {
          throw CommandLineFailure(
            message: "unknown option \"\(word)\" of probe; there are: \(Self.options.joined(separator: ", "))"
          )
        }
        guard position < words.count else { throw CommandLineFailure(message: "\(word) wants a value") }
        try options.set(word, to: words[position])
        position += 1
      }
    }
    try options.check()
    return options
  }

  private mutating func set(_ option: String, to value: String) throws(CommandLineFailure) {
    switch option {
    case "--method":
      guard ["GET", "POST"].contains(value.uppercased()) else {
        throw CommandLineFailure(message: "--method: found \"\(value)\"; allowed: GET, POST")
      }
      method = value.uppercased()
    case "--header":
      guard let pair = Self.pair(value, separator: ":"), FieldName(validating: pair.name) != nil else {
        throw CommandLineFailure(
          message: "--header: found \"\(value)\"; a field such as \"Accept: application/json\" is expected")
      }
      headers.append(pair)
    case "--form":
      guard let pair = Self.pair(value, separator: "=") else {
        throw CommandLineFailure(message: "--form: found \"\(value)\"; a field such as page=1 is expected")
      }
      form.append(pair)
    case "--json":
      guard (try? Parser(maximumDepth: 64).parse(Bytes(copying: Array(value.utf8)))) != nil else {
        throw CommandLineFailure(message: "--json: found \"\(value)\", which is not JSON")
      }
      json = value
    case "--name":
      guard !value.isEmpty, value.utf8.count <= 64 else {
        throw CommandLineFailure(
          message: "--name: found \"\(value)\"; a name of 1 to 64 letters, digits, _ - and . is expected")
      }
      name = value
    default:
      guard let seconds = Int(value), (1...600).contains(seconds) else {
        throw CommandLineFailure(message: "--timeout: found \"\(value)\"; allowed: 1 to 600 seconds")
      }
      timeout = seconds
    }
  }

  private func check() throws(CommandLineFailure) {
    guard !url.isEmpty else {
      throw CommandLineFailure(
        message: "probe wants the URL of a list, such as https://api.example.com/items?page=1")
    }
    if json != nil, !form.isEmpty {
      throw CommandLineFailure(message: "a request has a form or JSON; give one of --form and --json")
    }
    if method == "GET", json != nil || !form.isEmpty {
      throw CommandLineFailure(
        message: "a GET has no content; leave --method away, or put the values into the URL")
    }
  }

  private static func pair(_ text: String, separator: Character) -> Pair? {
    guard let split = text.firstIndex(of: separator), split > text.startIndex else { return nil }
    let value = text[text.index(after: split)...].drop { separator == ":" && $0 == " " }
    return Pair(name: String(text[..<split]), value: String(value))
  }
}
