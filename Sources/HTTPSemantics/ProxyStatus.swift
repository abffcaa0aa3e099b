/// What went wrong upstream: the `Proxy-Status` field (RFC 9209).
package struct ProxyStatus: Sendable, Hashable {
  /// The registered error types (RFC 9209 §2.3) that a gateway can meet.
  package enum ErrorType: Sendable, Hashable, CaseIterable {
    case dnsTimeout, dnsError, destinationNotFound, destinationUnavailable, destinationIPUnroutable
    case connectionRefused, connectionTerminated, connectionTimeout, connectionReadTimeout
    case connectionWriteTimeout, connectionLimitReached
    case tlsProtocolError, tlsCertificateError
    case httpRequestError, httpResponseIncomplete, httpResponseHeaderSectionSize, httpResponseBodySize
    case httpResponseContentCoding, httpResponseTimeout, httpProtocolError
    case proxyInternalResponse, proxyInternalError, proxyConfigurationError, proxyLoopDetected

    package var token: StaticString {
      switch self {
      case .dnsTimeout: "dns_timeout"
      case .dnsError: "dns_error"
      case .destinationNotFound: "destination_not_found"
      case .destinationUnavailable: "destination_unavailable"
      case .destinationIPUnroutable: "destination_ip_unroutable"
      case .connectionRefused: "connection_refused"
      case .connectionTerminated: "connection_terminated"
      case .connectionTimeout: "connection_timeout"
      case .connectionReadTimeout: "connection_read_timeout"
      case .connectionWriteTimeout: "connection_write_timeout"
      case .connectionLimitReached: "connection_limit_reached"
      case .tlsProtocolError: "tls_protocol_error"
      case .tlsCertificateError: "tls_certificate_error"
      case .httpRequestError: "http_request_error"
      case .httpResponseIncomplete: "http_response_incomplete"
      case .httpResponseHeaderSectionSize: "http_response_header_section_size"
      case .httpResponseBodySize: "http_response_body_size"
      case .httpResponseContentCoding: "http_response_content_coding"
      case .httpResponseTimeout: "http_response_timeout"
      case .httpProtocolError: "http_protocol_error"
      case .proxyInternalResponse: "proxy_internal_response"
      case .proxyInternalError: "proxy_internal_error"
      case .proxyConfigurationError: "proxy_configuration_error"
      case .proxyLoopDetected: "proxy_loop_detected"
      }
    }
  }

  package var error: ErrorType?
  /// What the upstream answered, if it did.
  package var receivedStatus: Int?
  /// The upstream's configured name: never an address.
  package var nextHop: String?
  /// For people, printable ASCII.
  package var detail: String?

  package init(error: ErrorType? = nil) { self.error = error }

  /// Appends the field value.
  package func append(to output: inout [UInt8]) {
    output.append(constant: "listway")
    if let error { output.append(parameter: "error", token: error.token) }
    if let receivedStatus { output.append(parameter: "received-status", integer: receivedStatus) }
    if let nextHop { output.append(parameter: "next-hop", string: nextHop) }
    if let detail { output.append(parameter: "details", string: detail) }
  }
}
