internal import CYAML
internal import Configuration

/// libyaml's event parser over one file, one event at a time.
///
/// - SeeAlso: yaml.h (libyaml 0.2.5), "Parser Definitions"
@safe struct EventParser: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  /// libyaml reads from it as long as it parses.
  private let input: UnsafeMutableBufferPointer<UInt8>
  private let file: String

  /// - Parameter text: UTF-8.
  /// - Throws: where libyaml finds no memory.
  static func make(text: [UInt8], file: String) throws(ConfigurationFault) -> EventParser {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard unsafe yaml_parser_initialize(parser) == 1 else {
      unsafe parser.deallocate()
      throw ConfigurationFault(file: file, mark: Mark(line: 1, column: 1), message: "out of memory")
    }
    let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
    _ = unsafe input.initialize(from: text)
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    return unsafe EventParser(parser: parser, input: input, file: file)
  }

  private init(
    parser: UnsafeMutablePointer<yaml_parser_t>, input: UnsafeMutableBufferPointer<UInt8>, file: String
  ) {
    unsafe self.parser = unsafe parser
    unsafe self.input = unsafe input
    self.file = file
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe input.deallocate()
  }

  /// The next event and where it begins. Not to be called after ``Event/streamEnd`` or a failure.
  ///
  /// - Throws: what keeps the text from being YAML, at its place.
  mutating func next() throws(ConfigurationFault) -> (event: Event, mark: Mark) {
    var event = unsafe yaml_event_t()
    guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw failure() }
    defer { unsafe yaml_event_delete(&event) }
    return unsafe (Event(event), Mark(event.start_mark))
  }

  private func failure() -> ConfigurationFault {
    let problem =
      unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "the text cannot be read"
    if unsafe parser.pointee.error == YAML_READER_ERROR {
      let mark = unsafe Mark(offset: parser.pointee.problem_offset, in: UnsafeBufferPointer(input))
      return ConfigurationFault(file: file, mark: mark, message: "this is not UTF-8 text: \(problem)")
    }
    let mark = unsafe Mark(parser.pointee.problem_mark)
    var message = "this is not YAML: \(problem)"
    if let context = unsafe parser.pointee.context {
      let start = unsafe Mark(parser.pointee.context_mark)
      message += unsafe " (\(String(cString: context)) from line \(start.line), column \(start.column))"
    }
    let index = unsafe parser.pointee.problem_mark.index
    return ConfigurationFault(file: file, mark: mark, message: message + hint(at: index))
  }

  /// What is usually behind it.
  ///
  /// - Parameter index: the place in characters.
  private func hint(at index: Int) -> String {
    let text = unsafe String(decoding: input, as: UTF8.self).unicodeScalars
    guard let place = text.index(text.startIndex, offsetBy: index, limitedBy: text.endIndex),
      place < text.endIndex
    else { return "" }
    switch text[place] {
    case "\t": return "; a tab cannot indent, use spaces"
    case "@", "`", "%": return "; a text that begins with \(text[place]) needs quotation marks"
    case "{" where place > text.startIndex && text[text.index(before: place)] == "$":
      return "; inside braces and brackets, ${NAME} needs quotation marks"
    default: return ""
    }
  }
}

extension Mark {
  /// libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
  }

  /// The place of a byte, for what libyaml gives no line of.
  @safe fileprivate init(offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    var line = 1
    var column = 1
    for index in 0..<min(offset, bytes.count) {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.init(line: line, column: column)
  }
}
