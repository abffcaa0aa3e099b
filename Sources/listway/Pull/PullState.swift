import Configuration
import Glibc
import HTTPSemantics
import JSON

/// What a state file keeps: how far a pull has come, and the key that seals its cursor, so that the file is all that is
/// needed to go on.
///
/// Written anew behind each page, and put in the place of the old one in one step: a process that is killed loses nothing
/// but what it wrote behind the last page, which the next one cuts off the file that it goes on with.
struct PullState {
  /// 32 random bytes.
  let key: [UInt8]
  /// What its cursor belongs to (``WholeWalk/binding``): the list as it is configured, and the arguments. Empty until that
  /// is known.
  var binding: [UInt8] = []
  /// Nil before the first page.
  var cursor: String?
  /// Items written, by all the pulls together.
  var items = 0
  /// Bytes in the file that was written, and which that was; nil when it was none.
  var bytes: Int?
  var file: String?
  var isComplete = false

  struct Failure: Error {
    let message: String
  }

  /// The beginning of a pull.
  init() {
    var random = SystemRandomNumberGenerator()
    key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// - Returns: nil where there is no such file.
  static func read(_ path: String) throws(Failure) -> PullState? {
    guard unsafe access(path, F_OK) == 0 else { return nil }
    switch FileSystem.content(of: path) {
    case .unreadable(let reason): throw Failure(message: "\(path): cannot be read: \(reason)")
    case .content(let text):
      guard let state = PullState(text) else {
        throw Failure(message: "\(path): not a state file of `listway pull`")
      }
      return state
    }
  }

  private init?(_ text: [UInt8]) {
    guard let document = try? Parser(maximumDepth: 4).parse(Bytes(copying: text)) else { return nil }
    func node(_ name: StaticString) -> Node? { document.value(named: name, in: document.root) }
    var key: [UInt8] = []
    var binding: [UInt8] = []
    guard document.kind(of: document.root) == .object,
      let keyText = node("key").flatMap({ document.string(of: $0) }),
      Base64URL.decode(keyText.utf8Span.span, into: &key), key.count == 32,
      let bindingText = node("binding").flatMap({ document.string(of: $0) }),
      Base64URL.decode(bindingText.utf8Span.span, into: &binding), !binding.isEmpty,
      let items = node("items").flatMap({ document.integer(of: $0) }), items >= 0,
      let isComplete = node("complete").flatMap({ document.bool(of: $0) })
    else { return nil }
    self.key = key
    self.binding = binding
    self.items = items
    self.isComplete = isComplete
    cursor = node("cursor").flatMap { document.string(of: $0) }
    bytes = node("bytes").flatMap { document.integer(of: $0) }
    file = node("file").flatMap { document.string(of: $0) }
  }

  /// Readable by its owner only: it has the key.
  func write(_ path: String) throws(Failure) {
    var writer = Writer(reserving: 512)
    writer.beginObject()
    writer.member("key", Self.text(key))
    writer.member("binding", Self.text(binding))
    writer.member("cursor", orNull: cursor)
    writer.member("items", items)
    writer.member("bytes", orNull: bytes)
    writer.member("file", orNull: file)
    writer.member("complete", isComplete)
    writer.endObject()
    let content = writer.finish() + [UInt8(ascii: "\n")]
    let new = path + ".new"
    let descriptor = unsafe open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(new, errno) }
    var code = Self.write(content, to: descriptor)
    if close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else {
      unsafe unlink(new)
      throw Self.failure(new, code)
    }
    guard unsafe rename(new, path) == 0 else {
      let code = errno
      unsafe unlink(new)
      throw Self.failure(path, code)
    }
  }

  /// Writes all of `content`, in as many pieces as it takes.
  ///
  /// - Returns: the error's number; 0 for none.
  private static func write(_ content: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < content.count {
      let count = unsafe content.withUnsafeBytes { bytes in
        unsafe Glibc.write(
          descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
      }
      if count >= 0 { written += count } else if errno != EINTR { return errno }
    }
    return 0
  }

  private static func failure(_ path: String, _ code: Int32) -> Failure {
    Failure(message: "\(path): cannot be written: \(unsafe String(cString: strerror(code)))")
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64URL.encode(bytes.span, into: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
