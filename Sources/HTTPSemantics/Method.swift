/// A request method (RFC 9110 §9, RFC 5789 for PATCH). Methods are case-sensitive.
package enum Method: Sendable, Hashable {
  case get, head, post, put, patch, delete, options
  /// Any other name, as it came.
  case other(String)

  /// - Parameter name: the method's bytes as the peer sent them.
  package init(_ name: Span<UInt8>) {
    switch name.count {
    case 3 where name.isExactly("GET"): self = .get
    case 3 where name.isExactly("PUT"): self = .put
    case 4 where name.isExactly("HEAD"): self = .head
    case 4 where name.isExactly("POST"): self = .post
    case 5 where name.isExactly("PATCH"): self = .patch
    case 6 where name.isExactly("DELETE"): self = .delete
    case 7 where name.isExactly("OPTIONS"): self = .options
    default:
      var bytes: [UInt8] = []
      bytes.append(0..<name.count, of: name)
      self = .other(String(decoding: bytes, as: UTF8.self))
    }
  }

  package var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }

  /// RFC 9110 §9.2.1: the client asks for no change of state.
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options: true
    case .put, .post, .patch, .delete, .other: false
    }
  }

  /// RFC 9110 §9.2.2: asking twice has the effect of asking once, so a lost request may be sent again.
  package var isIdempotent: Bool {
    switch self {
    case .get, .head, .options, .put, .delete: true
    case .post, .patch, .other: false
    }
  }
}

extension Span<UInt8> {
  fileprivate func isExactly(_ text: StaticString) -> Bool {
    for index in 0..<count where unsafe self[index] != text.utf8Start[index] { return false }
    return true
  }
}
