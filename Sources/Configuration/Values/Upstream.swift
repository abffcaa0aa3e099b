package import Paging
package import TextEncoding

extension Configuration {
  /// A server that Listway calls.
  package struct Upstream: Sendable, Equatable {
    package let name: String
    package let url: BaseURL
    package let timeout: Timeout
    /// Bytes of an answer's content after decompression.
    package let bodyLimit: Int
    /// The character set of its answers, whatever they say themselves; nil where they are believed.
    package let charset: Charset?
    /// Of every request to this upstream, without placeholders. Every list's ``RequestTemplate/headers`` has them in it.
    package let headers: [RequestTemplate.HeaderField]
    package let tls: TLS
    package let http: HTTPVersion
    /// How long a resolved address is used.
    package let dnsAge: Duration
    /// Open connections to this upstream, all loops together.
    package let connections: Int
    package let protection: Protection
    /// Nil where none is needed.
    package var session: Session?
    /// How it says no; what lists of their own have replaces it.
    package var refusal: Refusal?

    package init(
      name: String, url: BaseURL, timeout: Timeout, bodyLimit: Int, charset: Charset?,
      headers: [RequestTemplate.HeaderField],
      tls: TLS, http: HTTPVersion,
      dnsAge: Duration, connections: Int, protection: Protection
    ) {
      self.name = name
      self.url = url
      self.timeout = timeout
      self.bodyLimit = bodyLimit
      self.charset = charset
      self.headers = headers
      self.tls = tls
      self.http = http
      self.dnsAge = dnsAge
      self.connections = connections
      self.protection = protection
    }

    /// An upstream of which only the name and the URL are given.
    package static func defaults(name: String, url: BaseURL) -> Upstream {
      Upstream(
        name: name, url: url, timeout: .defaults, bodyLimit: 8_000_000, charset: nil, headers: [],
        tls: .defaults,
        http: .auto,
        dnsAge: .seconds(60), connections: 256, protection: .defaults)
    }
  }

  /// How long one request to an upstream may take.
  package struct Timeout: Sendable, Equatable {
    /// Until the connection stands, name resolution and TLS included.
    package let connect: Duration
    /// From the start to the last byte, ``connect`` included.
    package let total: Duration

    package init(connect: Duration, total: Duration) {
      self.connect = connect
      self.total = total
    }

    package static let defaults = Timeout(connect: .seconds(1), total: .seconds(10))
  }

  /// How an `https` upstream is verified, and how Listway shows itself to it. Paths are absolute, of PEM files.
  package struct TLS: Sendable, Equatable {
    /// The authorities to trust instead of the system's.
    package let authorities: String?
    /// The client certificate; given together with ``key``.
    package let certificate: String?
    /// The client certificate's private key.
    package let key: String?

    package init(authorities: String?, certificate: String?, key: String?) {
      self.authorities = authorities
      self.certificate = certificate
      self.key = key
    }

    package static let defaults = TLS(authorities: nil, certificate: nil, key: nil)
  }

  /// The HTTP version spoken to an upstream. `auto` takes what TLS negotiates (ALPN), and 1.1 without TLS; `2` is
  /// spoken by prior knowledge where there is no TLS.
  package enum HTTPVersion: String, Sendable, CaseIterable {
    case auto
    case http1 = "1.1"
    case http2 = "2"
  }
}
