/// A Swift source as the rules see it: each line's words, and apart from them its comments.
///
/// What stands in a string literal is neither. The one exception is a string within an interpolation within a string,
/// whose words count as code.
struct SourceFile: Sendable {
  struct Line: Sendable {
    /// Names and keywords whole (`try!` and `as!` with their mark), and every other character on its own.
    var words: [String] = []
    var comment = ""
  }

  /// From the top of the repository: "Sources/JSON/Writer.swift".
  let path: String
  let lines: [Line]

  init(path: String, text: String) {
    self.path = path
    var scanner = Scanner()
    self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      scanner.scan(Array($0.utf8))
    }
  }

  /// The target that the file belongs to, "JSON" for "Sources/JSON/Writer.swift"; nil outside Sources, and for the
  /// C libraries.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" && parts[1] != "System" ? String(parts[1]) : nil
  }

  struct Import: Sendable {
    /// 1-based.
    let line: Int
    let module: String
    /// What of the module, where it is one declaration: "memcpy" for `import func Glibc.memcpy`.
    let declaration: String?
  }

  var imports: [Import] {
    let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
    return lines.enumerated().compactMap { index, line in
      guard let keyword = line.words.firstIndex(of: "import") else { return nil }
      var words = line.words[(keyword + 1)...]
      let isScoped = words.first.map(kinds.contains) ?? false
      if isScoped { words.removeFirst() }
      return words.first.map { Import(line: index + 1, module: $0, declaration: isScoped ? words.last : nil) }
    }
  }

  /// The 1-based lines on which these words stand side by side.
  func lines(with words: String...) -> [Int] {
    lines.enumerated().compactMap { index, line in
      let starts = line.words.indices.dropLast(words.count - 1)
      return starts.contains { line.words[$0...].starts(with: words) } ? index + 1 : nil
    }
  }
}

/// Tells code, comments and strings apart, line after line.
private struct Scanner {
  private enum Place: Equatable {
    case code
    case comment(depth: Int)
    case string(hashes: Int, isMultiline: Bool)
  }

  private var place = Place.code

  mutating func scan(_ bytes: [UInt8]) -> SourceFile.Line {
    var line = SourceFile.Line()
    var position = 0
    func starts(_ text: StaticString, at index: Int) -> Bool {
      text.withUTF8Buffer { bytes.dropFirst(index).starts(with: $0) }
    }
    while position < bytes.count {
      switch place {
      case .comment(let depth):
        if starts("*/", at: position) {
          place = depth == 1 ? .code : .comment(depth: depth - 1)
          position += 2
        } else if starts("/*", at: position) {
          place = .comment(depth: depth + 1)
          position += 2
        } else {
          line.comment.unicodeScalars.append(Unicode.Scalar(bytes[position]))
          position += 1
        }
      case .string(let hashes, let isMultiline):
        let quotes = isMultiline ? 3 : 1
        let end =
          [UInt8](repeating: UInt8(ascii: "\""), count: quotes)
          + [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        if bytes.dropFirst(position).starts(with: end) {
          place = .code
          position += end.count
        } else {
          position += hashes == 0 && bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
      case .code:
        if starts("//", at: position) {
          line.comment += String(decoding: bytes[position...], as: UTF8.self)
          position = bytes.count
        } else if starts("/*", at: position) {
          place = .comment(depth: 1)
          position += 2
        } else {
          position = scanCode(bytes, from: position, into: &line)
        }
      }
    }
    // A string that is not over by the end of its line was none, or a string within an interpolation.
    if case .string(_, isMultiline: false) = place { place = .code }
    return line
  }

  /// One word, one mark or the opening of one string; returns where it ends.
  private mutating func scanCode(_ bytes: [UInt8], from start: Int, into line: inout SourceFile.Line) -> Int {
    func isWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
        true
      default: false
      }
    }
    let hashes = bytes[start...].prefix { $0 == UInt8(ascii: "#") }.count
    let quotes = bytes[(start + hashes)...].prefix { $0 == UInt8(ascii: "\"") }.count
    if quotes > 0 {
      place = .string(hashes: hashes, isMultiline: quotes >= 3)
      // Two are the empty string: its end is found next.
      return start + hashes + (quotes >= 3 ? 3 : 1)
    }
    var end = start + bytes[start...].prefix(while: isWord).count
    guard end > start else {
      if bytes[start] > UInt8(ascii: " ") {
        line.words.append(String(decoding: bytes[start...start], as: UTF8.self))
      }
      return start + 1
    }
    let word = String(decoding: bytes[start..<end], as: UTF8.self)
    let isForced = end < bytes.count && bytes[end] == UInt8(ascii: "!") && (word == "try" || word == "as")
    if isForced { end += 1 }
    line.words.append(isForced ? word + "!" : word)
    return end
  }
}
