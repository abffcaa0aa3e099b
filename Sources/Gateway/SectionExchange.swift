import HTTPSemantics

/// A section of a screen as a request of its own, made on behalf of the screen's client.
final class SectionExchange: Exchange {
  let listener = Listener.service
  let method = Method.get
  let target: [UInt8]
  let content: [UInt8] = []
  let fault: RequestFault? = nil
  private let screen: any Exchange

  init(target: [UInt8], of screen: any Exchange) {
    self.target = target
    self.screen = screen
  }

  var peerAddress: String { screen.peerAddress }

  /// What is said of the screen's answer as a whole, or of the doing of it, is not said of a section's.
  func field(_ name: FieldName) -> String? {
    switch name {
    case .ifNoneMatch, .listwaySlot, .idempotencyKey, .contentType, .contentEncoding, .contentLength: nil
    default: screen.field(name)
    }
  }

  /// The screen's request watches its client, and ends what its sections have under way.
  func whenAbandoned(_ action: @escaping () -> Void) {}

  func respond(_ response: Response) { preconditionFailure("a section is answered as a part of its screen") }
  func respond(streaming head: Response) -> any ContentWriter {
    preconditionFailure("a section is answered as a part of its screen")
  }
}

/// What a section has under way, as a part of what its screen has.
final class SectionWork: Transfer {
  private let work: Work

  init(_ work: Work) { self.work = work }

  func cancel() { work.stop() }
}
