import Paging

/// Seals positions into cursors, and opens them.
struct Cursors {
  private let sealer: any CursorSealer
  private let process: ProcessState
  /// The age in seconds from which a cursor is expired.
  let lifetime: Int64

  init(sealer: any CursorSealer, process: ProcessState, lifetime: Duration) {
    self.sealer = sealer
    self.process = process
    self.lifetime = lifetime.components.seconds
  }

  /// Unix seconds.
  var now: Int64 { process.unixSeconds() }

  func seal(_ position: [UInt8], binding: [UInt8], now: Int64) -> String {
    sealer.seal(position, binding: binding, now: now)
  }

  /// What is sealed: the position, behind the plan where that was recognised.
  static func payload(_ position: Position, by recognised: RecognisedPlan?) -> [UInt8] {
    let bytes = position.encode()
    return recognised?.payload(bytes) ?? bytes
  }

  /// - Parameter recognised: takes the plan that the cursor carries.
  func open(_ cursor: String, binding: [UInt8], by recognised: RecognisedPlan?) throws(GatewayError)
    -> Position
  {
    try Self.position(in: try open(cursor, binding: binding), by: recognised)
  }

  /// What was sealed.
  func open(_ cursor: String, binding: [UInt8]) throws(GatewayError) -> [UInt8] {
    do throws(CursorFailure) {
      return try sealer.open(cursor, binding: binding, now: process.unixSeconds(), lifetime: lifetime)
    } catch {
      switch error {
      case .invalid: throw GatewayError.invalidCursor(detail: "not sealed for this list and these parameters")
      case .expired: throw GatewayError(.cursorExpired, .cursorExpired, detail: "older than cursor.expires")
      }
    }
  }

  /// What ``payload(_:by:)`` made.
  ///
  /// - Parameter recognised: takes the plan in it.
  static func position(in payload: [UInt8], by recognised: RecognisedPlan?) throws(GatewayError) -> Position {
    var payload = payload
    if let recognised {
      guard let position = recognised.open(payload) else {
        throw GatewayError.invalidCursor(detail: "sealed plan of another version")
      }
      payload = position
    }
    do throws(Position.Failure) {
      return try Position(decoding: payload)
    } catch {
      // Sealed by us and bound to this configuration, yet not a position: written by another version.
      throw GatewayError.invalidCursor(detail: "sealed position of another version")
    }
  }
}
