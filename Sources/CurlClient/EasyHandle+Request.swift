import CCurl
import Gateway
import HTTPSemantics

extension EasyHandle {
  /// Makes it ready to carry out `request`, with only those options set that differ from the request before.
  ///
  /// - Parameters:
  ///   - url: where to: the request's own URL, or one that it was redirected to.
  ///   - remaining: how long it may take, above zero.
  /// - Returns: why it cannot be carried out.
  func prepare(_ request: TransportRequest, url: String, remaining: Duration) -> TransportFailure? {
    guard let split = SplitURL(url.utf8Span.span) else {
      return TransportFailure(kind: .protocol, detail: "not an http or https URL")
    }
    setURL(url, split)
    if let failure = setMethod(request.method, content: request.content) { return failure }
    setVersion(request.origin, isSecure: split.isSecure)
    let isFresh = isUsedOnce || request.needsNewConnection
    if isFresh != connectsAnew {
      connectsAnew = isFresh
      set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
    }
    headers.fill(with: request.fields, hasContent: shape == .content, codings: Library.codings)
    if unsafe headers.head != headerHead {
      unsafe headerHead = headers.head
      unsafe set(CURLOPT_HTTPHEADER, headerHead)
    }
    // No longer than a month, so that libcurl's arithmetic holds.
    set(CURLOPT_TIMEOUT_MS, min(max(1, remaining.wholeMilliseconds), 2_592_000_000))
    unsafe reader.pointee.begin(bodyLimit: request.origin.bodyLimit, isHeadRequest: shape == .head)
    return nil
  }

  /// Lets go of what belonged to the request, and of what came of an answer that nobody is given.
  func clear() {
    transfer = nil
    unsafe reader.pointee.clear()
    if shape == .content {
      unsafe set(CURLOPT_POSTFIELDS, Self.nothing.utf8Start)
      content = []
    }
  }

  private func setURL(_ url: String, _ split: SplitURL) {
    if !hasRoot(url, split) { setRoot(Array(url.utf8.prefix(split.rootEnd))) }
    if split.isPlain && split.end == url.utf8.count {
      unsafe url.withCString { unsafe set(CURLOPT_REQUEST_TARGET, $0 + split.rootEnd) }
    } else {
      unsafe set(CURLOPT_REQUEST_TARGET, String(decoding: split.target(of: url), as: UTF8.self))
    }
  }

  private func setRoot(_ bytes: [UInt8]) {
    root = bytes
    let text = String(decoding: bytes, as: UTF8.self) + "/"
    unsafe set(CURLOPT_URL, text)
    // Read once, where it can be: libcurl's copy of what was read loses the zone of an IPv6 address (until 8.3.0), and what
    // it cannot read it is to complain of itself.
    var parsed = unsafe bytes.contains(UInt8(ascii: "%")) ? nil : curl_url()
    if let handle = unsafe parsed, unsafe curl_url_set(handle, CURLUPART_URL, text, 0) != CURLUE_OK {
      unsafe curl_url_cleanup(handle)
      unsafe parsed = nil
    }
    unsafe set(CURLOPT_CURLU, parsed.map { unsafe UnsafeRawPointer($0) })
    unsafe curl_url_cleanup(parsedRoot)
    unsafe parsedRoot = parsed
  }

  private func hasRoot(_ url: String, _ split: SplitURL) -> Bool {
    guard root.count == split.rootEnd else { return false }
    let span = url.utf8Span.span
    for index in 0..<split.rootEnd where span[index] != root[index] { return false }
    return true
  }

  private func setMethod(_ method: Method, content: [UInt8]?) -> TransportFailure? {
    let wanted: Shape
    var hasOwnOption = false
    switch method {
    case .get where content == nil:
      wanted = .get
      hasOwnOption = true
    case .head:
      wanted = .head
      hasOwnOption = true
    case .post:
      wanted = .content
      hasOwnOption = true
    case .put, .patch: wanted = .content  // They announce a content even when it is empty (RFC 9110 §8.6).
    case .get, .delete, .options: wanted = content == nil ? .get : .content
    case .other(let name):
      guard FieldName(validating: name) != nil else {
        return TransportFailure(kind: .protocol, detail: "not a method")
      }
      wanted = content == nil ? .get : .content
    }
    if wanted == .content {
      // The content's options leave it at that nothing comes back.
      if shape == .head { set(CURLOPT_NOBODY, 0) }
      self.content = content ?? []
      // The memory is the array's own: it stays where it is for as long as it is kept here unchanged.
      let start = unsafe self.content.withUnsafeBytes { $0.baseAddress }
      unsafe set(CURLOPT_POSTFIELDS, start ?? UnsafeRawPointer(Self.nothing.utf8Start))
      unsafe curl_easy_setopt_offset(
        handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(self.content.count))
    } else if wanted != shape {
      set(wanted == .head ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1)
    }
    shape = wanted
    let custom = hasOwnOption ? nil : method.name
    if custom != customMethod {
      customMethod = custom
      if let custom {
        unsafe curl_easy_setopt_pointer(handle, CURLOPT_CUSTOMREQUEST, custom)
      } else {
        unsafe set(CURLOPT_CUSTOMREQUEST, nil)
      }
    }
    return nil
  }

  private func setVersion(_ origin: TransportOrigin, isSecure: Bool) {
    if isSecure == self.isSecure { return }
    self.isSecure = isSecure
    let wanted =
      switch origin.version {
      case .http1: CURL_HTTP_VERSION_1_1
      case .automatic: isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
      case .http2: isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      }
    let isPriorKnowledge = wanted == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
    // Until libcurl 8.0.0 a connection made by prior knowledge breaks at its second request (curl/curl#10634).
    // And an old connection shows nothing of what a probe is to find out.
    isUsedOnce = isPriorKnowledge && Library.version < 0x08_0000 || origin.use != .requests
    mayMultiplex = wanted != CURL_HTTP_VERSION_1_1 && !isUsedOnce
    set(CURLOPT_HTTP_VERSION, wanted)
    // Rather share a connection that is being made, where it may turn out to speak HTTP/2, than make another.
    set(CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
    set(CURLOPT_FORBID_REUSE, isUsedOnce ? 1 : 0)
  }

  /// Stands for an empty content, which may not be null.
  private static let nothing: StaticString = ""
}
