/// A system call that failed.
package struct SystemFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call, such as `epoll_create1`.
  package let call: String
  /// The value of `errno`.
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): errno \(code)" }
}
