import Access

extension Requirement {
  /// - Parameter refusal: what is wrong with the credential that was shown, where one was.
  func admit(_ principal: Principal, refusal: GatewayError?) throws(GatewayError) {
    switch judge(principal) {
    case .allow: return
    case .unauthorized: throw refusal ?? .missingCredential(self)
    case .forbidden(let scopes): throw .forbidden(scopes: scopes)
    }
  }
}

extension GatewayError {
  /// Nothing was shown where something is needed (RFC 9110 §15.5.2).
  static func missingCredential(_ requirement: Requirement) -> GatewayError {
    let error = GatewayError(
      .unauthorized, .signIn,
      detail: "no credential, or none of the kind that is required: \(requirement.kind.rawValue)")
    error.challenge = #"Bearer realm="listway""#
    return error
  }

  /// A token, or something else in its place, that does not count.
  static func credential(_ failure: TokenFailure) -> GatewayError {
    let error = GatewayError(.unauthorized, .signInAgain, detail: failure.rawValue)
    error.challenge =
      #"Bearer realm="listway", error="invalid_token", error_description="\#(failure.rawValue)""#
    return error
  }

  static var unknownAPIKey: GatewayError {
    let error = GatewayError(.unauthorized, .signInAgain, detail: "an API key that is not declared")
    error.challenge =
      #"Bearer realm="listway", error="invalid_token", error_description="the API key is unknown""#
    return error
  }

  /// What was shown counts, and is not enough (RFC 6750 §3.1).
  static func forbidden(scopes: [String]) -> GatewayError {
    let error = GatewayError(.forbidden, .notAllowed, detail: "the credential counts, and is not enough")
    let wanted = scopes.isEmpty ? "" : #", scope="\#(scopes.joined(separator: " "))""#
    error.challenge = #"Bearer realm="listway", error="insufficient_scope"\#(wanted)"#
    return error
  }

  /// The token does not say what a parameter is taken from.
  static func missingClaim(_ parameter: String) -> GatewayError {
    let error = GatewayError(
      .forbidden, .notAllowed, detail: "the token has no claim that would do for \(parameter)")
    error.challenge = #"Bearer realm="listway", error="insufficient_scope""#
    error.parameter = parameter
    return error
  }

  /// One request too many of this client.
  static func clientLimit(_ seconds: Int) -> GatewayError {
    let error = GatewayError(.rateLimited, .busy, detail: "the client's limit")
    error.retryAfter = max(1, seconds)
    return error
  }

  /// Without the issuer's keys no token can be told from a forged one.
  static func issuerUnreachable(_ retryAfter: Duration) -> GatewayError {
    let error = GatewayError(
      .upstreamUnreachable, .serverFault, detail: "the issuer's keys could not be fetched")
    error.retryAfter = max(1, Int((retryAfter / .seconds(1)).rounded(.up)))
    return error
  }
}
