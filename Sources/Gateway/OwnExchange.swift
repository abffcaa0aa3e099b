import HTTPSemantics

/// The request that the program makes of its own gateway: nobody is on the other side.
final class OwnExchange: Exchange {
  let listener = Listener.service
  let method = Method.get
  let target: [UInt8]
  let content: [UInt8] = []
  let fault: RequestFault? = nil
  let peerAddress = ""

  init(target: [UInt8]) { self.target = target }

  func field(_ name: FieldName) -> String? { nil }
  func whenAbandoned(_ action: @escaping () -> Void) {}

  func respond(_ response: Response) { preconditionFailure("there is nobody to answer") }
  func respond(streaming head: Response) -> any ContentWriter {
    preconditionFailure("there is nobody to answer")
  }
}
