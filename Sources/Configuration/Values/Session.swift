package import HTTPSemantics
package import JSON
package import Paging
package import Resilience

extension Configuration {
  /// How Listway logs in to an upstream, for all of its requests to it.
  package struct Session: Sendable, Equatable {
    /// Where a login's answer has the token.
    package enum Token: Sendable, Equatable {
      case at(Locator)
      /// In a cookie of this name (`Set-Cookie`).
      case cookie(String)
      /// There is no login: it is the client's credential.
      case forwarded
    }

    /// Where requests have it.
    package enum Place: Sendable, Equatable {
      case query(String)
      case form(String)
      /// In requests that have JSON content.
      case json(Pointer)
      case header(FieldName)
      case cookie(String)
    }

    /// Whom to log in to: the upstream, or a server of its own.
    package let url: BaseURL
    /// Without placeholders.
    package let request: RequestTemplate
    package let token: Token
    /// Where the login's answer says how many seconds the session lasts.
    package let lifetime: Locator?
    package let place: Place
    /// What stands before the token, such as `Bearer `.
    package let prefix: String
    /// Statuses that say that the session has expired.
    package let expiredStatuses: [Int]
    /// What in a body says it.
    package let expiry: Refusal?
    package let settings: SessionMachine.Settings
    /// Whose it is; nil where all clients share one.
    package var each: Each?
    /// Whether the client's credential itself is what requests have, without any login.
    package var forwards = false
    /// Sessions kept at once, and how long one is kept that nobody uses. Of clients' own only.
    package var most = 10_000
    package var idle = Duration.seconds(1_800)

    /// What of a client's request tells whose session it is.
    package enum Each: Sendable, Equatable {
      case header(FieldName)
      /// A parameter that every list and call of the upstream requires.
      case parameter(String)
    }

    /// What the login request is made with, and what its answer replaces it by; nil where every login is the same.
    package var renewal: Renewal?

    /// A token that gets the next session (RFC 6749 §6).
    package struct Renewal: Sendable, Equatable {
      /// For the first login, and again once one that came later is refused.
      package let first: Secret
      /// Where an answer has the next.
      package let next: Locator
    }

    /// What the login request's only placeholder stands for: a refresh token, or a client's credential.
    package static func arguments(_ value: [UInt8]) -> Arguments {
      Arguments([ParameterValue(checked: value, kind: .string)])
    }

    package init(
      url: BaseURL, request: RequestTemplate, token: Token, lifetime: Locator?, place: Place, prefix: String,
      expiredStatuses: [Int], expiry: Refusal?, settings: SessionMachine.Settings
    ) {
      self.url = url
      self.request = request
      self.token = token
      self.lifetime = lifetime
      self.place = place
      self.prefix = prefix
      self.expiredStatuses = expiredStatuses
      self.expiry = expiry
      self.settings = settings
    }
  }
}
