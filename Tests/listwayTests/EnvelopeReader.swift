import JSON

/// An answer's envelope, its items as the bytes they are.
struct EnvelopeReader {
  let document: Document

  init(_ body: [UInt8]) throws { document = try Parser(maximumDepth: 300).parse(Bytes(copying: body)) }

  func node(_ pointer: String) -> Node? {
    guard let pointer = try? Pointer(pointer) else { return nil }
    return document.node(at: pointer)
  }

  var items: [String] {
    guard let body = node("/body") else { return [] }
    return document.elements(of: body).map {
      String(decoding: document.bytes[document.range(of: $0)], as: UTF8.self)
    }
  }

  func text(_ pointer: String) -> String? { node(pointer).flatMap { document.text(of: $0) } }
  var next: String? { text("/header/next") }
  var error: String? { text("/header/error") }
  var status: String? { text("/status") }
}
