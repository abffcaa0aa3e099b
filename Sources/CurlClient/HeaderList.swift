import CCurl
import HTTPSemantics

// Layout: the nodes of a `curl_slist` in one block and their text in another. Both are kept for the next request, so that
// a list costs no allocation once it has grown, and libcurl's pointer to its head seldom changes.

/// The header fields of one request, in the form that libcurl takes them (CURLOPT_HTTPHEADER(3)).
@safe
struct HeaderList: ~Copyable {
  private var nodes: UnsafeMutablePointer<curl_slist>
  private var nodeCapacity: Int
  private var text: UnsafeMutablePointer<CChar>
  private var textCapacity: Int
  private var nodeCount = 0
  private var textCount = 0

  init() {
    nodeCapacity = 16
    unsafe nodes = .allocate(capacity: nodeCapacity)
    textCapacity = 1_024
    unsafe text = .allocate(capacity: textCapacity)
  }

  deinit {
    unsafe nodes.deallocate()
    unsafe text.deallocate()
  }

  /// The list made last; nil when it is empty.
  var head: UnsafeMutablePointer<curl_slist>? { unsafe nodeCount == 0 ? nil : nodes }

  /// Makes the list anew. Fields that say how the message is framed or carried are libcurl's business and left out, and
  /// so are names that are no token.
  mutating func fill(with fields: Fields, hasContent: Bool) {
    reserve(nodes: fields.count + 2, text: fields.byteCount + 4 * fields.count + 32)
    nodeCount = 0
    textCount = 0
    var hasContentType = false
    for index in 0..<fields.count {
      let field = fields[index]
      if Self.isTransport(field.name) || !field.name.allSatisfy(Self.token.contains) { continue }
      if field.name.count == 12 && FieldName.contentType.matches(field.name) { hasContentType = true }
      begin()
      append(field.name)
      // What libcurl wants for a field without a value; "Name:" would suppress it.
      append(UInt8(ascii: field.value.isEmpty ? ";" : ":"))
      if !field.value.isEmpty {
        append(UInt8(ascii: " "))
        append(field.value)
      }
      end()
    }
    if hasContent {
      // What libcurl adds by itself: a wait for "100 Continue" before a large content, and a form's content type.
      appendLine("Expect:")
      if !hasContentType { appendLine("Content-Type:") }
    }
    if nodeCount > 0 { unsafe nodes[nodeCount - 1].next = nil }
  }

  private mutating func begin() {
    unsafe nodes[nodeCount].data = text + textCount
  }

  private mutating func end() {
    append(0)
    unsafe nodes[nodeCount].next = nodes + nodeCount + 1
    nodeCount += 1
  }

  private mutating func appendLine(_ line: StaticString) {
    begin()
    for offset in 0..<line.utf8CodeUnitCount { append(unsafe line.utf8Start[offset]) }
    end()
  }

  private mutating func append(_ byte: UInt8) {
    unsafe text[textCount] = CChar(bitPattern: byte)
    textCount += 1
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(text + textCount).copyMemory(from: start, byteCount: source.count)
    }
    textCount += bytes.count
  }

  private mutating func reserve(nodes nodeNeed: Int, text textNeed: Int) {
    if nodeNeed > nodeCapacity {
      unsafe nodes.deallocate()
      nodeCapacity = nodeNeed * 2
      unsafe nodes = .allocate(capacity: nodeCapacity)
    }
    if textNeed > textCapacity {
      unsafe text.deallocate()
      textCapacity = textNeed * 2
      unsafe text = .allocate(capacity: textCapacity)
    }
  }

  private static let token = ByteSet("!#$%&'*+-.^_`|~0123456789").union(
    ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))

  private static let transport: [FieldName] = [
    .connection, .contentLength, "Expect", "HTTP2-Settings", "Keep-Alive", "Proxy-Connection", "TE",
    "Trailer",
    .transferEncoding, "Upgrade",
  ]

  private static func isTransport(_ name: ArraySlice<UInt8>) -> Bool {
    transport.contains { $0.matches(name) }
  }
}

extension FieldName {
  fileprivate func matches(_ name: ArraySlice<UInt8>) -> Bool {
    lowercased.count == name.count
      && zip(lowercased, name).allSatisfy { $0 == ($1 &- 0x41 < 26 ? $1 | 0x20 : $1) }
  }
}
