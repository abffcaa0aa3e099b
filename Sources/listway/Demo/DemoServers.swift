import EventLoop
import Gateway
import HTTPSemantics
import MicrohttpdServer

/// The demo upstream's server, and the server where its faults are switched. Confined to their loop once that runs.
final class DemoServers: RequestHandler {
  private let loop: EventLoop
  private let upstream: DemoUpstream
  private let address: Address
  private var upstreamServer: Server?
  private var faultsServer: Server?

  init(_ options: DemoOptions, loop: EventLoop) throws {
    self.loop = loop
    upstream = DemoUpstream(loop: loop)
    address = .ipv4([127, 0, 0, 1], port: options.upstreamPort)
    upstreamServer = try listen(address, upstream)
    faultsServer = try listen(.ipv4([127, 0, 0, 1], port: options.faultsPort), self)
  }

  private func listen(_ address: Address, _ handler: any RequestHandler) throws(ServerFailure) -> Server {
    let limits = ServerLimits(
      requestLine: 4_096, headers: 16_384, content: 4_096, connections: 1_024, peers: nil,
      idleTimeout: .seconds(60),
      headerTimeout: .seconds(10), contentTimeout: .seconds(10), sendTimeout: .seconds(30), sendRate: 1_024)
    let socket = try ListeningSocket.open(address, count: 1)
    return try Server.make(
      listening: socket[0], limits: limits, handler: handler, loop: loop, listener: .service)
  }

  /// `POST /FAULT` switches; `GET /` tells what is on.
  func handle(_ exchange: any Exchange) {
    let path = String(decoding: exchange.target.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    if exchange.method == .post, let fault = DemoUpstream.Fault(rawValue: path) {
      do throws(ServerFailure) {
        try set(fault)
        return answer(exchange, 200, "The demo upstream's fault is now: \(fault.rawValue)\n")
      } catch {
        return answer(exchange, 500, "\(error)\n")
      }
    }
    if exchange.method == .get && path.isEmpty {
      return answer(exchange, 200, "The demo upstream's fault is: \(upstream.fault.rawValue)\n")
    }
    let faults = DemoUpstream.Fault.allCases.map { "/\($0.rawValue)" }.joined(separator: ", ")
    answer(exchange, 404, "POST one of \(faults); GET / tells which is on.\n")
  }

  private func set(_ fault: DemoUpstream.Fault) throws(ServerFailure) {
    if fault == .down {
      upstreamServer?.stop()
      upstreamServer = nil
    } else if upstreamServer == nil {
      upstreamServer = try listen(address, upstream)
    }
    upstream.fault = fault
  }

  private func answer(_ exchange: any Exchange, _ status: Int, _ text: String) {
    var fields = Fields()
    fields.append(.contentType, "text/plain; charset=utf-8")
    exchange.respond(Response(status: status, fields: fields, content: [.bytes(Array(text.utf8))]))
  }
}
