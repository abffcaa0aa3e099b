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
