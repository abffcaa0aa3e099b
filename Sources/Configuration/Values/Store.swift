extension Configuration {
  /// Where pages are kept that are to outlive the process.
  package enum Store: Sendable, Equatable {
    case none
    /// A file of the process's own.
    ///
    /// - Parameter size: what pages may take in it, in bytes.
    case sqlite(path: String, size: Int)
    /// A server that replicas share.
    case redis(Redis)

    /// A file, as large as one may be that nothing is said of.
    package static func embedded(_ path: String) -> Store { .sqlite(path: path, size: defaultSize) }

    package static let defaultSize = 256_000_000
    package static let defaultPrefix = "listway:"
  }

  /// A Redis or Valkey server.
  package struct Redis: Sendable, Equatable {
    package let host: String
    package let port: UInt16
    /// Of an access control list; nil for the default user.
    package let user: String?
    package let password: Secret?
    package let database: Int
    /// Before every key.
    package let prefix: String

    package init(
      host: String, port: UInt16, user: String?, password: Secret?, database: Int, prefix: String
    ) {
      self.host = host
      self.port = port
      self.user = user
      self.password = password
      self.database = database
      self.prefix = prefix
    }
  }
}
