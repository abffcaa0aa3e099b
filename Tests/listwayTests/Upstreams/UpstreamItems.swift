/// The items that the servers of `Tests/Upstreams` are given, as JSON texts. They are the truth that walks are held to.
struct UpstreamItems: Sendable {
  /// How a server writes an item's price.
  enum Price { case number, text }

  static let lists: [(name: String, count: Int)] = [
    ("many", 131), ("none", 0), ("one", 1), ("few", 9), ("even", 60),
  ]

  /// Ids look alike where a careless eye, a number or a trimmed text would take them for one.
  static func id(_ index: Int) -> String {
    let number = index / 4
    return switch index % 4 {
    case 0: "\(number)"
    case 1: "0\(number)"
    case 2: "\(number).0"
    default: "\(number)-0"
    }
  }

  /// An item as it is served: the digits of its numbers and the code points of its texts are to arrive as they are.
  static func text(_ index: Int, price: Price = .number) -> String {
    let amount = "\(index % 7).\(index % 10)0"
    let fields = [
      "\"id\":\"\(id(index))\"",
      // Four items share an hour.
      "\"hour\":\(index / 4)",
      // No double holds the odd ones of these.
      "\"big\":\(9_007_199_254_740_992 + index)",
      "\"price\":\(price == .text ? "\"\(amount)\"" : amount)",
      "\"text\":\"\(prose(index))\"",
      "\"note\":\(index % 3 == 0 ? "null" : "\"\"")",
      "\"tags\":[\((0..<index % 3).map { "\"tag \($0)\"" }.joined(separator: ","))]",
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  private static func prose(_ index: Int) -> String {
    switch index % 10 {
    case 0: "smile 😀, family 👨‍👩‍👧, 日本語, العربية"
    case 1: "r\u{E9}sum\u{E9}"
    // The same to the eye.
    case 2: "re\u{301}sume\u{301}"
    case 3: #"quote \" backslash \\ slash / <b>&amp;</b>"#
    case 4: #"line\nline\tand a tab"#
    case 5: " spaces around "
    case 6: "a+b&c=d?e#f%20g;h,i"
    case 7 where index == 57: String(repeating: "0123456789abcdef", count: 4_096)
    default: "dull"
    }
  }

  /// What the servers read: every list with its items.
  static var file: String {
    let members = lists.map { list in
      "\"\(list.name)\":[\((0..<list.count).map { text($0) }.joined(separator: ",\n"))]"
    }
    return "{\(members.joined(separator: ",\n"))}"
  }
}
