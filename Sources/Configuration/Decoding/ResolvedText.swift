/// A scalar after `${NAME}` and `file:/path` have been put in.
struct ResolvedText {
  struct Piece: Equatable {
    let text: String
    /// From the environment or a file: never shown, and never read as a placeholder.
    let isOutside: Bool
  }

  let pieces: [Piece]
  /// As the file has it. Safe to show: it names what was put in, and does not hold it.
  let source: String
  /// May be read as a number or a boolean: written without quotation marks, or put in from outside.
  let isPlain: Bool
  /// Something was put in, be it a default.
  let isSubstituted: Bool
  let mark: Mark

  var text: String { pieces.count == 1 ? pieces[0].text : pieces.map(\.text).joined() }
  var isOutside: Bool { pieces.contains(where: \.isOutside) }

  /// How an error names it: `"eighty" is given`, or `the value of "${PORT}"`.
  var shown: String {
    if isOutside { return "the value of \(Quoted(source)) is given" }
    return text.isEmpty ? "an empty text is given" : "\(Quoted(text)) is given"
  }
}

extension ResolvedText {
  /// What `resolve` finds wrong.
  struct Problem: Error {
    let message: String
  }

  /// Puts in what a scalar takes from the environment (`${NAME}`, `${NAME:-default}`; `$${` stands for `${`) or, where
  /// the whole text is `file:/path`, from a file, whose last line break is dropped.
  ///
  /// - Parameter files: whether `file:` means a file here; prose may begin with the word.
  static func resolve(
    _ scalar: ConfigurationNode.Scalar, at mark: Mark, files: Bool, from sources: ConfigurationSources
  ) throws(Problem) -> ResolvedText {
    let isFile = files && scalar.text.hasPrefix("file:")
    var (pieces, isSubstituted) = try pieces(
      of: isFile ? scalar.text.dropFirst(5) : scalar.text[...], from: sources)
    if isFile {
      let content = try content(
        path: pieces.map(\.text).joined(), shown: String(scalar.text.dropFirst(5)), from: sources)
      pieces = [Piece(text: content, isOutside: true)]
      isSubstituted = true
    }
    return ResolvedText(
      pieces: pieces, source: scalar.text, isPlain: scalar.isPlain || isSubstituted,
      isSubstituted: isSubstituted,
      mark: mark)
  }

  /// The text as it stands and what is put in, in turn; one piece at least.
  private static func pieces(
    of text: Substring, from sources: ConfigurationSources
  ) throws(Problem) -> ([Piece], isSubstituted: Bool) {
    var pieces: [Piece] = []
    var isSubstituted = false
    var rest = text
    while let start = rest.firstRange(ofCharacters: "${") {
      if rest[..<start.lowerBound].last == "$" {
        pieces.append(Piece(text: rest[..<start.lowerBound].dropLast() + "${", isOutside: false))
        rest = rest[start.upperBound...]
        continue
      }
      pieces.append(Piece(text: String(rest[..<start.lowerBound]), isOutside: false))
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        throw Problem(message: "${ has no closing brace; write $${ for the text itself")
      }
      pieces.append(try variable(rest[start.upperBound..<end], from: sources))
      isSubstituted = true
      rest = rest[rest.index(after: end)...]
    }
    pieces.append(Piece(text: String(rest), isOutside: false))
    let filled = pieces.filter { !$0.text.isEmpty || $0.isOutside }
    return (filled.isEmpty ? [Piece(text: "", isOutside: false)] : filled, isSubstituted)
  }

  /// - Parameter text: what stands between the braces.
  private static func variable(_ text: Substring, from sources: ConfigurationSources) throws(Problem) -> Piece
  {
    let separator = text.firstRange(ofCharacters: ":-")
    let name = String(text[..<(separator?.lowerBound ?? text.endIndex)])
    guard Grammar.isVariable(name) else {
      throw Problem(
        message: "what stands in ${} names no environment variable; a name is letters, digits and _, "
          + "as in ${NAME} or ${NAME:-default}")
    }
    let value = sources.environment(name)
    if let separator, value?.isEmpty ?? true {
      return Piece(text: String(text[separator.upperBound...]), isOutside: false)
    }
    guard let value else {
      throw Problem(
        message: "the environment variable \(name) is not set; set it, or give a default: ${\(name):-default}"
      )
    }
    return Piece(text: value, isOutside: true)
  }

  /// - Parameter shown: the path as the file has it.
  private static func content(
    path: String, shown: String, from sources: ConfigurationSources
  ) throws(Problem) -> String {
    guard path.hasPrefix("/") else {
      throw Problem(message: "file: takes an absolute path, such as file:/run/secrets/key")
    }
    switch sources.file(path) {
    case .unreadable(let reason): throw Problem(message: "the file \(shown) cannot be read: \(reason)")
    case .content(var bytes):
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Problem(message: "the file \(shown) is not UTF-8 text")
      }
      guard !text.isEmpty else { throw Problem(message: "the file \(shown) is empty") }
      return text
    }
  }
}

extension Substring {
  /// The first place of two characters in a row. (The standard library's own is in a module that the server does not
  /// load.)
  fileprivate func firstRange(ofCharacters pair: String) -> Range<Index>? {
    var index = startIndex
    while index < endIndex {
      if self[index...].hasPrefix(pair) { return index..<self.index(index, offsetBy: pair.count) }
      index = self.index(after: index)
    }
    return nil
  }
}
