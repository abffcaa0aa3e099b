import Configuration
import Resilience
package import Telemetry

/// What is read of the upstreams when somebody asks for the figures.
package enum UpstreamReadings {
  package static func collect(in figures: Figures, _ process: ProcessState) {
    func gauge(_ family: FigureFamily, _ value: @escaping @Sendable (UpstreamControl.Snapshot) -> Double) {
      figures.collect(family) {
        let now = ContinuousClock.now
        return process.upstreams.map { control in
          Figures.Reading(labels: [control.configuration.name], value: value(control.snapshot(at: now)))
        }
      }
    }
    gauge(FigureNames.upstreamReachable) { $0.phase == .down ? 0 : 1 }
    gauge(FigureNames.upstreamUnderWay) { Double($0.underWay) }
    gauge(FigureNames.upstreamWaiting) { Double($0.waiting) }
    gauge(FigureNames.breakerOpen) { $0.breaker == .closed ? 0 : 1 }
  }
}
