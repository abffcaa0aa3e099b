import HTTPSemantics

extension GatewayError {
  /// Why a cursor cannot be handed out: no request line has room for it, so it would be refused when it comes back. Better
  /// to say so now, and to whom it concerns, than to end the list.
  ///
  /// - Parameters:
  ///   - old: the cursor that the request came with, in whose place the other goes.
  ///   - requestLine: bytes of the longest request line that clients may send.
  /// - Returns: nil where there is room.
  static func tooLong(
    _ cursor: String, inPlaceOf old: String?, in request: Request, requestLine: Int
  ) -> GatewayError? {
    var line = request.exchange.target.count + "HEAD ?cursor= HTTP/1.1".utf8.count + cursor.utf8.count
    if let old { line -= old.utf8.count }
    if line <= requestLine { return nil }
    return GatewayError(
      .upstreamFault, .serverFault,
      detail: "with the upstream's next a request line is \(line) bytes long, more than limits.requestLine")
  }
}
