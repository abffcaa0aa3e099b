/// Four lists with a time in every item, each paged in its own way, as four servers have them.
///
/// Times fall from item to item and from list to list, so that together they are one list: item `n` of list `l` is item
/// `n × 4 + l` of all.
package struct FourLists: Sendable {
  /// Items a list.
  package let counts: [Int]
  private let pageSize = 10

  package init(counts: [Int]) { self.counts = counts }

  /// The lists' names, and their configurations but for the upstream. Nothing is kept of them, so that a server that is away shows.
  package static let names = ["pages", "offsets", "tokens", "urls"]
  package static func list(_ index: Int, upstream: String) -> String {
    let paging =
      switch index {
      case 0:
        "paging: {style: page, page: {query: page}, size: {query: size, value: 10}}\n    says: {total: /total}"
      case 1:
        "paging: {style: offset, offset: {query: offset}, size: {query: size, value: 10}}\n    says: {total: /total}"
      case 2: "paging: {style: token, token: {query: token}}\n    says: {next: /next, total: /total}"
      default: "paging: {style: nextURL}\n    says: {next: /next, total: /total}"
      }
    return "  \(names[index]):\n    upstream: \(upstream)\n    request: {path: /\(names[index])}\n"
      + "    items: {at: /list, id: /id}\n    \(paging)\n    cache: {keep: 0s}\n"
  }

  /// The order that merges them.
  package static let order =
    "{by: {pages: /at, offsets: /created/at, tokens: /at, urls: /at}, type: time, direction: descending, zone: \"+08:00\"}"

  /// The item's bytes.
  package func item(_ index: Int, of list: Int) -> String {
    // 2023-11-14T22:13:20Z, and a day of seconds for each 86,400 items.
    let seconds = 1_700_000_000 - (index * 4 + list)
    let id = "\(Self.names[list])-\(index)"
    let time = Self.time(seconds)
    return switch list {
    case 0: #"{"id":"\#(id)", "at":"2023-11-\#(time.day)T\#(time.clock)Z","n":1.10}"#
    case 1: #"{"created":{"at":\#(seconds)},"id":"\#(id)"}"#
    case 2: #"{"at":"\#(seconds)000","id":"\#(id)"}"#
    default:
      #"{"id":"\#(id)","at":"2023-11-\#(Self.time(seconds + 8 * 3_600).day) \#(Self.time(seconds + 8 * 3_600).clock)"}"#
    }
  }

  private static func time(_ seconds: Int) -> (day: String, clock: String) {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let second = seconds % 86_400
    // 1,699,920,000 is the beginning of 14 November.
    return (
      two(14 + (seconds - second - 1_699_920_000) / 86_400),
      "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
    )
  }

  package func items(of list: Int) -> [String] { (0..<counts[list]).map { item($0, of: list) } }

  /// All of them in the order in which they merge.
  package var merged: [String] {
    (0..<(counts.max() ?? 0)).flatMap { index in
      counts.indices.filter { index < counts[$0] }.map { item(index, of: $0) }
    }
  }

  /// The body for a path and query; nil for what is no list's.
  package func body(of target: String) -> String? {
    guard let list = Self.names.firstIndex(where: { target.hasPrefix("/\($0)") }) else { return nil }
    let query = target.split(separator: "?").dropFirst().first ?? ""
    var values: [Substring: Int] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=")
      if parts.count == 2 { values[parts[0]] = Int(parts[1]) }
    }
    let start =
      switch list {
      case 0: ((values["page"] ?? 1) - 1) * pageSize
      case 1: values["offset"] ?? 0
      default: values["token"] ?? 0
      }
    let end = min(start + pageSize, counts[list])
    let items = (min(start, end)..<end).map { item($0, of: list) }.joined(separator: ",\n")
    let hasMore = end < counts[list]
    let next =
      switch list {
      case 2: hasMore ? #""\#(end)""# : "null"
      case 3: hasMore ? #""/urls?token=\#(end)""# : "null"
      default: "null"
      }
    return #"{"list":[\#(items)],"total":\#(counts[list]),"next":\#(next)}"#
  }
}
