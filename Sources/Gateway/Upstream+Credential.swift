import Configuration
import HTTPSemantics

extension Upstream {
  /// Finds the client's credential, where the upstream wants to know it.
  ///
  /// - Throws: ``GatewayError/Code/unauthorized`` where there is none.
  func identify(
    _ request: Request, _ parameters: [Parameter], _ arguments: Arguments
  ) throws(GatewayError) {
    if let found = try credential(of: request, parameters, arguments) { request.scope = found }
  }

  /// The same of a request that has other upstreams, too; nil where this one does not want to know.
  func credential(
    of request: Request, _ parameters: [Parameter], _ arguments: Arguments
  ) throws(GatewayError) -> [UInt8]? {
    let found: [UInt8]?
    switch configuration.session?.each {
    case nil: return nil
    case .header(let name): found = request.exchange.field(name).map { Array($0.utf8) }
    case .parameter(let name):
      found = parameters.firstIndex { $0.name == name }.flatMap { arguments.values[$0]?.text }
    }
    guard let found, !found.isEmpty else { throw GatewayError(TransportFailure.credentialMissing) }
    return found
  }
}
