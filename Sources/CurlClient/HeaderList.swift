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
  ///
  /// - Parameter codings: what `Accept-Encoding` says where `fields` do not. libcurl would add it, too, but it writes each
  ///   byte of what it adds by itself one more time, and slowly.
  mutating func fill(with fields: Fields, hasContent: Bool, codings: [UInt8]) {
    reserve(nodes: fields.count + 3, text: fields.byteCount + 4 * fields.count + codings.count + 64)
    nodeCount = 0
    textCount = 0
    var hasContentType = false
    var hasCodings = false
    for index in 0..<fields.count {
      let field = fields[index]
      switch Self.meaning(of: field.name.span) {
      case .transport, .malformed: continue
      case .contentType: hasContentType = true
      case .acceptEncoding: hasCodings = true
      case .any: break
      }
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
    if !hasCodings {
      begin()
      append("Accept-Encoding: ")
      append(codings[...])
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
    append(line)
    end()
  }

  private mutating func append(_ text: StaticString) {
    for offset in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[offset]) }
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

  private enum Meaning { case any, contentType, acceptEncoding, transport, malformed }

  private static func meaning(of name: Span<UInt8>) -> Meaning {
    if name.isEmpty { return .malformed }
    let token = ByteSet.token
    for index in 0..<name.count where !token.contains(name[index]) { return .malformed }
    let all = 0..<name.count
    // By length first, since almost every name is none of these.
    let isTransport =
      switch name.count {
      case 2: name.matches("te", in: all)
      case 6: name.matches("expect", in: all)
      case 7: name.matches("trailer", in: all) || name.matches("upgrade", in: all)
      case 10: name.matches("connection", in: all) || name.matches("keep-alive", in: all)
      case 14: name.matches("content-length", in: all) || name.matches("http2-settings", in: all)
      case 16: name.matches("proxy-connection", in: all)
      case 17: name.matches("transfer-encoding", in: all)
      default: false
      }
    if isTransport { return .transport }
    if name.matches("content-type", in: all) { return .contentType }
    return name.matches("accept-encoding", in: all) ? .acceptEncoding : .any
  }
}
