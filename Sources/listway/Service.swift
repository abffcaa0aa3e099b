import Configuration
import CurlClient
import EventLoop
import Gateway
import Glibc
import MicrohttpdServer
import OpenSSLSealer
import Telemetry

/// Serving: builds everything in reading order, runs it, and ends it in good order.
enum Service {
  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Returns: the program's exit status.
  static func run(_ configuration: Configuration, name: String) -> Int32 {
    Signals.prepare()
    do {
      let service = try RunningService(configuration, name: name)
      try service.start()
      service.stop(because: Signals.waitForStop())
      return ExitStatus.done
    } catch {
      Terminal.error("listway: \(error)")
      return ExitStatus.failed
    }
  }
}
