import Configuration
import HTTPSemantics

/// One upstream as one loop sees it.
final class Upstream {
  let configuration: Configuration.Upstream
  let origin: TransportOrigin
  let figures: UpstreamFigures
  let observation: UpstreamObservation

  /// - Parameter loops: how many loops share the upstream's connections.
  init(
    configuration: Configuration.Upstream, figures: UpstreamFigures, observation: UpstreamObservation,
    loops: Int
  ) {
    self.configuration = configuration
    self.figures = figures
    self.observation = observation
    let version: TransportOrigin.Version =
      switch configuration.http {
      case .auto: .automatic
      case .http1: .http1
      case .http2: .http2
      }
    origin = TransportOrigin(
      version: version, connectTimeout: configuration.timeout.connect, bodyLimit: configuration.bodyLimit,
      trustedCertificates: configuration.tls.authorities, clientCertificate: configuration.tls.certificate,
      clientKey: configuration.tls.key, addressAge: configuration.dnsAge,
      connectionLimit: max(1, configuration.connections / loops))
  }
}
