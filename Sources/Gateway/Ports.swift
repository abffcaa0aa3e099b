package import Access
package import HTTPSemantics
package import JSON

// What the gateway needs from the outside, named by role. Each port has an adapter in production and a double in tests.
// All of them belong to one loop: they are called, and they call back, on its thread only.

// MARK: Downstream

/// Which of the two listeners a request came in by.
package enum Listener: Sendable, Hashable {
  case service
  case admin
}

/// What is wrong with a request before anybody has looked at what it asks for.
package enum RequestFault: Error, Sendable, Hashable {
  /// 414: the request line is longer than `limits.requestLine`.
  case targetTooLong
  /// 431: the header section is longer than `limits.headers`.
  case fieldsTooLarge
  /// 413: the content is longer than `limits.body`.
  case contentTooLarge
  /// 400: the framing, the method or a field cannot be read.
  case malformed
}

/// One request from a client, whole, and the duty to answer it.
package protocol Exchange: AnyObject {
  var listener: Listener { get }
  var method: Method { get }
  /// The request target as it was sent, percent-encoded (RFC 9112 §3.2).
  var target: [UInt8] { get }
  /// The content; empty where there is none.
  var content: [UInt8] { get }
  /// Set when the request could not be taken whole: it must be answered with the status that the case names.
  var fault: RequestFault? { get }
  /// The client's address without its port; empty on a Unix socket.
  var peerAddress: String { get }

  /// The values of a field, joined by `, ` (RFC 9110 §5.2); nil when it was not sent.
  func field(_ name: FieldName) -> String?

  /// Answers. Exactly once, during `handle` or later; a second answer is a programming error.
  ///
  /// An answer to HEAD is given with its content, whose length is announced and which is not sent.
  /// After the client has gone this does nothing.
  func respond(_ response: Response)

  /// Answers with content that is written while it is sent, in place of ``respond(_:)``: `head` is the start of it, of
  /// which the content may be empty. To a client of HTTP/1.0 its end is the end of the connection.
  ///
  /// An answer to HEAD is given in the same way, and nothing needs to be written to it.
  func respond(streaming head: Response) -> any ContentWriter

  /// Has `action` called, once, when the client goes away before the answer was given, or before a streamed one was
  /// finished. Asked for again, it takes the place of the action before.
  func whenAbandoned(_ action: @escaping () -> Void)
}

/// The content of an answer that is written bit by bit, no faster than the client takes it.
///
/// What is written is kept until it is taken: who writes on without ``whenTaken(_:)`` fills the memory.
package protocol ContentWriter: AnyObject {
  /// Adds to the content. Does nothing once the client has gone.
  func write(_ content: [Response.Segment])

  /// Has `action` called, once, when all that was written has been taken: at once where nothing is left, and also when
  /// the client has gone, then after ``Exchange/whenAbandoned(_:)``'s. One at a time.
  func whenTaken(_ action: @escaping () -> Void)

  /// Ends the content: what was written is still sent. Exactly once, and nothing is written after it.
  func finish()
}

/// Takes requests from a server adapter.
package protocol RequestHandler: AnyObject {
  /// Looks at `exchange`, and answers it now or later.
  func handle(_ exchange: any Exchange)
}

/// What a client is answered.
package struct Response {
  /// A piece of the content: bytes that are copied once, or a part of a body that stays where it is.
  package enum Segment {
    case bytes([UInt8])
    case slice(Bytes, Range<Int>)

    package var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .slice(_, let range): range.count
      }
    }
  }

  /// A status code of RFC 9110 §15.
  package var status: Int
  /// The fields, `Content-Length`, `Date` and `Connection` left out: they are the server's business.
  package var fields: Fields
  package var content: [Segment]
  /// Whether the connection is to be closed after this answer.
  package var closesConnection = false
  /// Where the same content is given again, but for its start: its compressed forms.
  var kept: KeptCodings?

  package init(status: Int, fields: Fields, content: [Segment]) {
    self.status = status
    self.fields = fields
    self.content = content
  }

  package var contentByteCount: Int { content.reduce(0) { $0 + $1.count } }
}

// MARK: Upstream

/// How one upstream is connected to. Requests that share the instance share its connections.
package final class TransportOrigin: Sendable {
  package enum Version: Sendable, Hashable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    case http1
    /// HTTP/2, without TLS by prior knowledge.
    case http2
  }

  /// What its connections are for.
  package enum Use: Sendable, Hashable {
    case requests
    /// To find out whether anybody is there, by a request of its own connection.
    case probes
    /// The same without a request: it succeeds, with status 0, when the connection stands, TLS included.
    case connects
  }

  package let use: Use
  package let version: Version
  package let connectTimeout: Duration
  /// The longest body that is taken, after decompression.
  package let bodyLimit: Int
  /// A file of trusted certificates in PEM form, in place of the system's.
  package let trustedCertificates: String?
  /// Files, in PEM form, of the certificate and the private key to show to the upstream; both or neither.
  package let clientCertificate: String?
  package let clientKey: String?
  /// How long an address is used before its name is looked up again.
  package let addressAge: Duration
  /// Connections open at once.
  package let connectionLimit: Int

  package init(
    use: Use, version: Version, connectTimeout: Duration, bodyLimit: Int, trustedCertificates: String?,
    clientCertificate: String?, clientKey: String?, addressAge: Duration, connectionLimit: Int
  ) {
    self.use = use
    self.version = version
    self.connectTimeout = connectTimeout
    self.bodyLimit = bodyLimit
    self.trustedCertificates = trustedCertificates
    self.clientCertificate = clientCertificate
    self.clientKey = clientKey
    self.addressAge = addressAge
    self.connectionLimit = connectionLimit
  }
}

package struct TransportRequest {
  package var method: Method
  /// Absolute, `http` or `https`, percent-encoded; it is sent as it is.
  package var url: String
  package var fields: Fields
  /// Nil for a request without content.
  package var content: [UInt8]?
  /// By when the whole answer must be there.
  package var deadline: ContinuousClock.Instant
  package var origin: TransportOrigin
  /// Whether a redirect within the origin is followed, rather than taken for the answer.
  package var followsRedirects = true
  /// Whether a connection that stands already will not do.
  package var needsNewConnection = false
  /// The client's own, where the upstream wants that: it tells whose session it is. Not sent by the transport.
  package var credential: [UInt8]?

  package init(
    method: Method, url: String, fields: Fields, content: [UInt8]?, deadline: ContinuousClock.Instant,
    origin: TransportOrigin
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.content = content
    self.deadline = deadline
    self.origin = origin
  }
}

package struct TransportResponse {
  package var status: Int
  package var fields: Fields
  /// Decompressed.
  package var body: Bytes
  /// The path and query that the answer came from, where redirects led there; nil where it is the request's own.
  package var redirectedTarget: [UInt8]?
  /// The numeric address that was connected to; of a probe's answer only.
  package var address: String?

  package init(status: Int, fields: Fields, body: Bytes, redirectedTarget: [UInt8]?) {
    self.status = status
    self.fields = fields
    self.body = body
    self.redirectedTarget = redirectedTarget
  }
}

/// Why there is no answer. The kinds up to `resetBeforeResponse` are the network's, the others the server's or ours.
package struct TransportFailure: Error, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// No route to the host, or the network is down.
    case noRoute
    /// The name does not resolve.
    case nameResolution
    /// Refused, or no answer to the connection attempt in time.
    case connect
    /// The handshake failed, or the certificate is not to be trusted.
    case tls
    /// The connection ended before the first byte of an answer.
    case resetBeforeResponse
    /// The connection ended within the answer, or the answer is shorter than announced.
    case resetWithinResponse
    /// The deadline passed.
    case timeout
    /// The body is longer than the limit.
    case tooLarge
    /// Not HTTP, undecodable content, or a redirect out of the origin.
    case `protocol`
    /// Ended by ``Transfer/cancel()``.
    case cancelled
    // Not a transport's: what keeps a request from being sent, or ends it.
    /// The upstream is known to be out of reach.
    case suspended
    /// The upstream answers badly most of the time, and is left alone.
    case circuitOpen
    /// The upstream's limit.
    case limited
    /// Too many wait already.
    case overloaded
    /// The upstream gives no session, or does not accept the one that it gave.
    case sessionFailed
    /// The client's own credential, which it has to show to the upstream, is missing or was refused.
    case credentialRefused
  }

  package var kind: Kind
  /// After how long trying again may help.
  package var retryAfter: Duration?
  /// What the library said; for logs and `debug`, not for clients. No secret: no query, no user information.
  package var detail: String

  package init(kind: Kind, detail: String) {
    self.kind = kind
    self.detail = detail
  }
}

/// A request under way.
package protocol Transfer: AnyObject {
  /// Ends it; its completion gets `.cancelled` before this returns. Does nothing once it is complete.
  func cancel()
}

/// Calls upstreams.
package protocol HTTPTransport: AnyObject {
  /// Starts `request`. `completion` is called exactly once, and never before this returns.
  func start(
    _ request: TransportRequest, completion: @escaping (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Transfer
}

// MARK: Cursors

package enum CursorFailure: Error, Sendable, Hashable {
  /// Not one of ours, damaged, or of another list, parameters, scope or paging configuration.
  case invalid
  /// Ours, and too old.
  case expired
}

/// Seals positions for clients, so that they are opaque, tamper-proof and bound to what they belong to.
package protocol CursorSealer: AnyObject {
  /// - Parameters:
  ///   - payload: the position, any bytes.
  ///   - binding: what the cursor belongs to; not part of it, needed again to open it.
  ///   - now: Unix seconds.
  /// - Returns: base64url text.
  func seal(_ payload: [UInt8], binding: [UInt8], now: Int64) -> String

  /// - Parameter lifetime: the age in seconds from which it is expired.
  func open(_ cursor: String, binding: [UInt8], now: Int64, lifetime: Int64) throws(CursorFailure) -> [UInt8]
}

// MARK: Credentials

/// What a signature is checked with.
package enum KeyMaterial {
  /// Of an HMAC.
  case secret([UInt8])
  case published(PublicKey)
}

/// A key that is ready to be used. Its kind says by which algorithm: there is no other that it could be used for.
package protocol SignatureKey: AnyObject {
  var kind: KeyKind { get }

  /// - Parameter signature: in the form that a token has it (RFC 7518 §3, RFC 8037 §3.1).
  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool
}

/// Does the arithmetic of credentials.
package protocol CredentialVerifier: AnyObject {
  func digest(of bytes: [UInt8]) -> Digest

  /// - Returns: nil where the material is no key, or a weak one.
  func key(_ material: KeyMaterial) -> (any SignatureKey)?
}
