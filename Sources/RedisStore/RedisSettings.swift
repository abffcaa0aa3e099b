/// How a Redis or Valkey server is reached.
package struct RedisSettings: Sendable {
  package var host: String
  package var port: UInt16
  /// Of an access control list (Redis 6); nil for the default user.
  package var user: String?
  package var password: [UInt8]?
  package var database: Int
  /// Before every key and channel: those who share a server share what lies under the same prefix.
  package var prefix: String
  package var connectTimeout = Duration.seconds(1)
  /// For any command: a server that is slower is no help, and the connection is made anew.
  package var commandTimeout = Duration.milliseconds(500)

  package init(
    host: String, port: UInt16, user: String?, password: [UInt8]?, database: Int, prefix: String
  ) {
    self.host = host
    self.port = port
    self.user = user
    self.password = password
    self.database = database
    self.prefix = prefix
  }
}
