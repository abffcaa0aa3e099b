import Access
import Configuration
import EventLoop
import HTTPSemantics
import Telemetry

/// Finds out who a client is. One a loop; there is none where the configuration knows no credentials.
final class AccessControl {
  private let keys: APIKeys
  private let judge: TokenJudge?
  private let issuerKeys: IssuerKeys?
  private let verifier: any CredentialVerifier
  private let now: () -> Int64

  /// - Parameter now: Unix seconds.
  init?(
    _ rules: Configuration.AccessRules, verifier: any CredentialVerifier, transport: any HTTPTransport,
    loop: EventLoop, log: Log, now: @escaping () -> Int64
  ) {
    guard rules.knowsCredentials else { return nil }
    keys = rules.keys
    self.verifier = verifier
    self.now = now
    judge = rules.tokens.map { TokenJudge(rules: $0.rules, verifier: verifier) }
    switch (rules.tokens?.keys, judge) {
    case (.secret(let secret)?, let judge?):
      judge.trust(secret.bytes)
      issuerKeys = nil
    case (.published(let published)?, let judge?):
      judge.trust(published)
      issuerKeys = nil
    case (.url(let url, let authorities)?, let judge?):
      issuerKeys = IssuerKeys(
        url: url, authorities: authorities, refresh: rules.tokens?.refresh ?? .zero, judge: judge,
        transport: transport, loop: loop, log: log)
    default: issuerKeys = nil
    }
  }

  /// Sets who the client of `request` is, or what is wrong with what it shows.
  ///
  /// - Parameter then: called on the loop, once, where the answer takes a fetch of keys.
  /// - Returns: false where `then` is called later.
  func identify(_ request: Request, _ then: @escaping () -> Void) -> Bool {
    let exchange = request.exchange
    let credential = Credential(
      authorization: exchange.field(.authorization), apiKey: exchange.field(.xAPIKey))
    switch credential {
    case .none: return true
    case .unusable: request.refusal = .credential(.malformed)
    case .key(let key): identify(request, key: key)
    case .token(let token):
      guard judge != nil else {
        request.refusal = .credential(.unknownKey)
        return true
      }
      return identify(request, token: token, then)
    }
    return true
  }

  private func identify(_ request: Request, key: [UInt8]) {
    guard key.count <= APIKeys.longest, let name = keys.name(of: verifier.digest(of: key)) else {
      request.refusal = .unknownAPIKey
      return
    }
    request.principal = .key(name: name)
  }

  // MARK: Tokens

  private func identify(_ request: Request, token: [UInt8], _ then: @escaping () -> Void) -> Bool {
    guard let issuerKeys, token.count <= CompactToken.longest else {
      settle(request, token)
      return true
    }
    let readiness = issuerKeys.need { [self] in
      // Whatever came of the fetch: no request waits for a second one.
      if issuerKeys.hasKeys {
        settle(request, token)
      } else {
        request.refusal = .issuerUnreachable(IssuerKeys.pause)
      }
      then()
    }
    switch readiness {
    case .later: return false
    case .unavailable(let retryAfter):
      request.refusal = .issuerUnreachable(retryAfter)
      return true
    case .ready: return settle(request, token, fetching: issuerKeys, then)
    }
  }

  /// The same, with a look whether the issuer has new keys where the token's is unknown.
  private func settle(
    _ request: Request, _ token: [UInt8], fetching issuerKeys: IssuerKeys, _ then: @escaping () -> Void
  ) -> Bool {
    guard settle(request, token) == .unknownKey else { return true }
    let readiness = issuerKeys.missKey { [self] in
      request.refusal = nil
      settle(request, token)
      then()
    }
    if case .later = readiness { return false }
    return true
  }

  @discardableResult
  private func settle(_ request: Request, _ token: [UInt8]) -> TokenFailure? {
    guard let judge else { return nil }
    do throws(TokenFailure) {
      request.principal = .token(try judge.judge(token, now: now()))
      return nil
    } catch {
      request.refusal = .credential(error)
      return error
    }
  }
}
