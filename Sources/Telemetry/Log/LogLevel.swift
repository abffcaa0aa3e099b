/// How serious a log line is.
package enum LogLevel: UInt8, Sendable, Comparable, CaseIterable {
  case debug, info, warn, error

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

  package var name: StaticString {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warn: "warn"
    case .error: "error"
    }
  }
}
