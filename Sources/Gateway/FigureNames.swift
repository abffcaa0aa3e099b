package import Telemetry

/// Every figure that the gateway keeps, under the name it has in `/metrics`.
package enum FigureNames {
  package static let requests = FigureFamily.counter(
    "listway_requests_total", "Requests answered, by list, outcome and what the cache did.",
    labels: ["list", "status", "cache"], hidesZeros: true)
  package static let requestDuration = FigureFamily.histogram(
    "listway_request_duration_seconds", "From a request's arrival to its answer.", labels: ["list"],
    buckets: .durations,
    hidesZeros: false)
  package static let abandoned = FigureFamily.counter(
    "listway_requests_abandoned_total", "Requests whose client went away before the answer.",
    labels: ["list"],
    hidesZeros: true)
  package static let streamedItems = FigureFamily.counter(
    "listway_streamed_items_total", "Items sent in streams of whole lists.", labels: ["list"],
    hidesZeros: true)
  package static let callRequests = FigureFamily.counter(
    "listway_call_requests_total", "Requests for a call answered, by outcome.", labels: ["call", "status"],
    hidesZeros: true)
  package static let callDuration = FigureFamily.histogram(
    "listway_call_duration_seconds", "From the arrival of a request for a call to its answer.",
    labels: ["call"],
    buckets: .durations, hidesZeros: true)
  package static let screenRequests = FigureFamily.counter(
    "listway_screen_requests_total",
    "Requests for a screen answered, by outcome; ok where one section at least did not fail.",
    labels: ["screen", "status"], hidesZeros: true)
  package static let screenDuration = FigureFamily.histogram(
    "listway_screen_duration_seconds", "From the arrival of a request for a screen to its answer.",
    labels: ["screen"], buckets: .durations, hidesZeros: true)
  package static let screenSections = FigureFamily.counter(
    "listway_screen_sections_total", "Sections of screens answered, by outcome.",
    labels: ["screen", "status"],
    hidesZeros: true)
  package static let upstreamRequests = FigureFamily.counter(
    "listway_upstream_requests_total", "Requests sent to an upstream, by outcome.",
    labels: ["upstream", "outcome"],
    hidesZeros: true)
  package static let upstreamDuration = FigureFamily.histogram(
    "listway_upstream_request_duration_seconds", "From sending a request to an upstream to its whole answer.",
    labels: ["upstream"], buckets: .durations, hidesZeros: false)
  package static let upstreamReachable = FigureFamily.gauge(
    "listway_upstream_reachable",
    "0 while the upstream is known to be out of reach, else 1.",
    labels: ["upstream"])
  package static let upstreamChanges = FigureFamily.counter(
    "listway_upstream_changes_total",
    "Changes of an upstream's reachability, by what it became and what showed it.",
    labels: ["upstream", "state", "reason"], hidesZeros: true)
  package static let upstreamProbes = FigureFamily.counter(
    "listway_upstream_probes_total", "Probes of an upstream, by outcome.", labels: ["upstream", "outcome"],
    hidesZeros: true)
  package static let upstreamUnderWay = FigureFamily.gauge(
    "listway_upstream_under_way", "Requests that an upstream is working on.", labels: ["upstream"])
  package static let upstreamWaiting = FigureFamily.gauge(
    "listway_upstream_waiting", "Requests that wait for their turn at an upstream.", labels: ["upstream"])
  package static let upstreamRefused = FigureFamily.counter(
    "listway_upstream_refused_total", "Requests that were not sent to an upstream, by reason.",
    labels: ["upstream", "reason"], hidesZeros: true)
  package static let upstreamRetries = FigureFamily.counter(
    "listway_upstream_retries_total", "Requests to an upstream that were made again.", labels: ["upstream"],
    hidesZeros: false)
  package static let logins = FigureFamily.counter(
    "listway_upstream_logins_total", "Logins to an upstream, by outcome.", labels: ["upstream", "outcome"],
    hidesZeros: true)
  package static let breakerOpen = FigureFamily.gauge(
    "listway_breaker_open", "1 while an upstream is left alone for it answers badly, else 0.",
    labels: ["upstream"])
  package static let breakerChanges = FigureFamily.counter(
    "listway_breaker_changes_total", "Changes of an upstream's circuit breaker, by what it became.",
    labels: ["upstream", "state"], hidesZeros: true)
  package static let cacheBytes = FigureFamily.gauge(
    "listway_cache_bytes", "What known pages take of cache.memory.", labels: [])
  package static let cachePages = FigureFamily.gauge(
    "listway_cache_pages", "Pages that are held.", labels: [])
  package static let cacheEvicted = FigureFamily.counter(
    "listway_cache_evicted_total", "Pages that made room for others.", labels: [], hidesZeros: false)
  package static let cacheExpired = FigureFamily.counter(
    "listway_cache_expired_total", "Pages whose time was over.", labels: [], hidesZeros: false)
  package static let prefetched = FigureFamily.counter(
    "listway_prefetched_total", "Pages that were fetched ahead, and what became of them.",
    labels: ["list", "outcome"], hidesZeros: true)
  package static let connections = FigureFamily.gauge(
    "listway_connections", "Open client connections.", labels: ["listener"])
  package static let accepted = FigureFamily.counter(
    "listway_connections_accepted_total", "Client connections accepted.", labels: ["listener"],
    hidesZeros: false)
  package static let sentBytes = FigureFamily.counter(
    "listway_sent_bytes_total", "Content bytes sent to clients.", labels: ["listener"], hidesZeros: false)
  package static let slowSenders = FigureFamily.counter(
    "listway_slow_senders_total", "Connections closed because a request did not arrive in time.",
    labels: ["listener"], hidesZeros: false)
  package static let slowReaders = FigureFamily.counter(
    "listway_slow_readers_total", "Connections closed because an answer was not read in time.",
    labels: ["listener"], hidesZeros: false)
  package static let turnedAway = FigureFamily.counter(
    "listway_connections_refused_total", "Connections closed at once, over a connection limit.",
    labels: ["listener"], hidesZeros: false)
  package static let loopTurns = FigureFamily.counter(
    "listway_loop_turns_total", "Turns of an event loop.", labels: ["loop"], hidesZeros: false)
  package static let loopBusy = FigureFamily.counter(
    "listway_loop_busy_seconds_total", "Time an event loop spent working, waiting left out.",
    labels: ["loop"],
    hidesZeros: false)
  package static let logDropped = FigureFamily.counter(
    "listway_log_lines_dropped_total", "Log lines dropped because standard error did not take them.",
    labels: [],
    hidesZeros: false)
  package static let draining = FigureFamily.gauge(
    "listway_draining", "1 when the process is about to stop.", labels: [])
  package static let build = FigureFamily.gauge(
    "listway_build_info", "Always 1; the labels tell what is running.", labels: ["version"])

  package static let families = [
    requests, requestDuration, abandoned, streamedItems, callRequests, callDuration,
    screenRequests, screenDuration, screenSections, upstreamRequests,
    upstreamDuration,
    upstreamReachable,
    upstreamChanges,
    upstreamProbes, upstreamUnderWay, upstreamWaiting, upstreamRefused, upstreamRetries, logins, breakerOpen,
    breakerChanges, cacheBytes, cachePages, cacheEvicted, cacheExpired, prefetched,
    connections,
    accepted,
    sentBytes, slowSenders, slowReaders, turnedAway, loopTurns, loopBusy, logDropped, draining, build,
  ]
}
