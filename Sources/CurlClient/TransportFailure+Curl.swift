import CCurl
import Gateway
import Glibc

extension TransportFailure {
  static let cancelled = TransportFailure(kind: .cancelled, detail: "cancelled")
  static let timedOut = TransportFailure(kind: .timeout, detail: "the deadline passed")
  static let truncatedHead = TransportFailure(
    kind: .resetWithinResponse, detail: "the connection was closed within the header section")
  static let outOfMemory = TransportFailure(kind: .protocol, detail: "out of memory")

  /// Classifies how a transfer ended that did not end well.
  ///
  /// - SeeAlso: libcurl-errors(3).
  init(_ code: CURLcode, of easy: EasyHandle, request: TransportRequest) {
    if let refusal = unsafe easy.reader.pointee.refusal {
      self =
        switch refusal {
        case .bodyTooLong:
          TransportFailure(
            kind: .tooLarge, detail: "the body is longer than \(request.origin.bodyLimit) bytes")
        case .headerTooLong: TransportFailure(kind: .protocol, detail: "the header section is too long")
        case .lengthUnclear: TransportFailure(kind: .protocol, detail: "the Content-Length cannot be read")
        }
      return
    }
    let message = easy.errorMessage
    let text = message.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : message
    self.init(
      kind: Self.kind(of: code, easy: easy, request: request, message: text), detail: Self.cleaned(text))
  }

  private static func kind(
    of code: CURLcode, easy: EasyHandle, request: TransportRequest, message: String
  ) -> Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .nameResolution
    case CURLE_COULDNT_CONNECT: return kindOfConnectFailure(easy)
    case CURLE_OPERATION_TIMEDOUT: return kindOfTimeout(easy, request)
    case CURLE_GOT_NOTHING: return .resetBeforeResponse
    case CURLE_PARTIAL_FILE: return .resetWithinResponse
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM:
      // libcurl 7.88 reports a malformed chunk as a failure to receive.
      if message.hasSuffix("in chunked-encoding") { return .protocol }
      return unsafe easy.reader.pointee.status != 0 || easy.hasReached(CURLINFO_STARTTRANSFER_TIME_T)
        ? .resetWithinResponse : .resetBeforeResponse
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_SSL_SHUTDOWN_FAILED:
      return .tls
    case CURLE_FILESIZE_EXCEEDED: return .tooLarge
    default: return .protocol
    }
  }

  private static func kindOfConnectFailure(_ easy: EasyHandle) -> Kind {
    switch Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO)) {
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .noRoute
    // Accepted and reset before libcurl had a look.
    case ECONNRESET, EPIPE: .resetBeforeResponse
    default: .connect
    }
  }

  /// One code stands for the deadline, for the connect timeout, and for a connection attempt that the kernel gave up.
  private static func kindOfTimeout(_ easy: EasyHandle, _ request: TransportRequest) -> Kind {
    // libcurl counts in milliseconds, from a clock reading of its own.
    if ContinuousClock.now + .milliseconds(2) >= request.deadline { return .timeout }
    if !easy.hasReached(CURLINFO_NAMELOOKUP_TIME_T) { return .nameResolution }
    return easy.hasReached(CURLINFO_PRETRANSFER_TIME_T) ? .timeout : .connect
  }

  /// The text without what may be secret in a URL: the query and the user information.
  private static func cleaned(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "@") }) else {
      return text
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word -> Substring in
      let reference = word.prefix { $0 != "?" }
      return reference.split(separator: "@", omittingEmptySubsequences: false).last ?? reference
    }
    return words.joined(separator: " ")
  }
}
