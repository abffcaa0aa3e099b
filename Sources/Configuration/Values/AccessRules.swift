package import Access

extension Configuration {
  /// Who may ask.
  package struct AccessRules: Sendable, Equatable {
    /// Whether the file says anything of it, be it `none`.
    package let isDeclared: Bool
    package let keys: APIKeys
    package let tokens: Tokens?
    /// What is required where a list says nothing, and of all that is no list's.
    package let requirement: Requirement

    package init(isDeclared: Bool, keys: APIKeys, tokens: Tokens?, requirement: Requirement) {
      self.isDeclared = isDeclared
      self.keys = keys
      self.tokens = tokens
      self.requirement = requirement
    }

    /// Whether there is any credential that could be shown.
    package var knowsCredentials: Bool { !keys.entries.isEmpty || tokens != nil }

    package static let defaults = AccessRules(
      isDeclared: false, keys: APIKeys([]), tokens: nil, requirement: .nobodyInParticular)
  }

  /// Tokens that an issuer signs (RFC 7519).
  package struct Tokens: Sendable, Equatable {
    /// Where the keys come from.
    package enum Keys: Sendable, Equatable {
      case secret(Secret)
      case published([PublicKey])
      /// A JSON Web Key Set, and the authorities in PEM that its server is trusted by; nil for those of the system.
      case url(String, authorities: String?)
    }

    package let rules: TokenRules
    package let keys: Keys
    /// The age from which fetched keys are fetched again.
    package let refresh: Duration

    package init(rules: TokenRules, keys: Keys, refresh: Duration) {
      self.rules = rules
      self.keys = keys
      self.refresh = refresh
    }

    package static let defaultLeeway = Duration.seconds(30)
    package static let defaultRefresh = Duration.seconds(600)
  }

  /// Why this is not to be served as it is: an address that others reach, and no word on who may ask. Nil where all is
  /// well.
  ///
  /// That everybody may read everything can be meant; it has to be said.
  package var undeclaredAccess: String? {
    if access.isDeclared || listen.address.isOwn { return nil }
    return
      "nothing says who may ask at \(listen.address.shown), which others can reach; declare access, write "
      + "\"access: none\" for everybody, or listen at 127.0.0.1"
  }
}

extension Configuration.Address {
  /// Whether only the machine itself reaches it.
  package var isOwn: Bool {
    switch self {
    case .unix: true
    case .any: false
    case .ipv4(let bytes): bytes[0] == 127
    case .ipv6(let bytes): bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
  }

  fileprivate var shown: String {
    switch self {
    case .any: "every address of the machine"
    case .ipv4(let bytes): bytes.map(String.init).joined(separator: ".")
    case .ipv6: "its IPv6 address"
    case .unix(let path): path
    }
  }
}
