import Testing

@testable import Telemetry

private let requests = FigureFamily.counter(
  "listway_requests_total", "Requests answered.", labels: ["list", "status"], hidesZeros: true)
private let durations = FigureFamily.histogram(
  "listway_request_duration_seconds", "Time to answer.", labels: ["list"],
  buckets: Buckets(bounds: [1_000_000, 250_000_000, 1_000_000_000], divisor: 1e9), hidesZeros: false)
private let connections = FigureFamily.gauge("listway_connections", "Open connections.", labels: [])
private let build = FigureFamily.gauge(
  "listway_build_info", "The \"build\".\nAlways \\ 1.", labels: ["version"])

private func text(_ figures: Figures, _ format: Exposition = .prometheus) -> String {
  String(decoding: figures.exposition(format), as: UTF8.self)
}

@Suite("Figures")
struct FiguresTests {
  @Test("writes what the shards counted together, as Prometheus reads it")
  func exposition() {
    let figures = Figures(shardCount: 2)
    figures.declare([build, requests, durations, connections])
    let counters = figures.counters(requests, [["no\"ti\\ces\n", "users"], ["0", "-1"]])
    let histogram = figures.histograms(durations, [["users"]])[0]
    let gauge = figures.gauges(connections, [])[0]
    figures.shards[0].add(1, to: counters[0, 0])
    figures.shards[1].add(2, to: counters[0, 0])
    figures.shards[1].add(5, to: counters[1, 1])
    figures.shards[0].observe(.milliseconds(1), in: histogram)
    figures.shards[0].observe(.microseconds(1_001), in: histogram)
    figures.shards[1].observe(.seconds(2), in: histogram)
    figures.shards[1].observe(.seconds(-2), in: histogram)
    figures.shards[0].set(gauge, to: 7)
    figures.shards[1].add(-2, to: gauge)
    figures.collect(build) { [Figures.Reading(labels: ["1.0"], value: 1)] }
    #expect(
      text(figures) == #"""
        # HELP listway_build_info The "build".\nAlways \\ 1.
        # TYPE listway_build_info gauge
        listway_build_info{version="1.0"} 1
        # HELP listway_requests_total Requests answered.
        # TYPE listway_requests_total counter
        listway_requests_total{list="no\"ti\\ces\n",status="0"} 3
        listway_requests_total{list="users",status="-1"} 5
        # HELP listway_request_duration_seconds Time to answer.
        # TYPE listway_request_duration_seconds histogram
        listway_request_duration_seconds_bucket{list="users",le="0.001"} 2
        listway_request_duration_seconds_bucket{list="users",le="0.25"} 3
        listway_request_duration_seconds_bucket{list="users",le="1"} 3
        listway_request_duration_seconds_bucket{list="users",le="+Inf"} 4
        listway_request_duration_seconds_sum{list="users"} 2.002001
        listway_request_duration_seconds_count{list="users"} 4
        # HELP listway_connections Open connections.
        # TYPE listway_connections gauge
        listway_connections 5

        """#)
  }

  @Test("writes OpenMetrics with its own names, bounds and end")
  func openMetrics() {
    let figures = Figures(shardCount: 1)
    let counter = figures.counters(requests, [["a"], ["0"]])[0, 0]
    figures.shards[0].add(1, to: counter)
    _ = figures.histograms(durations, [["a"]])
    figures.declare([build])
    #expect(
      text(figures, .openMetrics) == #"""
        # HELP listway_requests Requests answered.
        # TYPE listway_requests counter
        listway_requests_total{list="a",status="0"} 1
        # HELP listway_request_duration_seconds Time to answer.
        # TYPE listway_request_duration_seconds histogram
        listway_request_duration_seconds_bucket{list="a",le="0.001"} 0
        listway_request_duration_seconds_bucket{list="a",le="0.25"} 0
        listway_request_duration_seconds_bucket{list="a",le="1.0"} 0
        listway_request_duration_seconds_bucket{list="a",le="+Inf"} 0
        listway_request_duration_seconds_sum{list="a"} 0
        listway_request_duration_seconds_count{list="a"} 0
        # HELP listway_build_info The \"build\".\nAlways \\ 1.
        # TYPE listway_build_info gauge
        # EOF

        """#)
    #expect(Exposition.openMetrics.contentType.hasPrefix("application/openmetrics-text"))
    #expect(Exposition.prometheus.contentType.hasPrefix("text/plain; version=0.0.4"))
  }

  @Test("gives the same series when asked again, so that counts outlive a reload")
  func sameSeries() {
    let figures = Figures(shardCount: 1)
    let before = figures.counters(requests, [["a"], ["0", "-1"]])
    figures.shards[0].add(3, to: before[0, 1])
    let other = figures.counters(requests, [["b"], ["0", "-1"]])
    let after = figures.counters(requests, [["a"], ["0", "-1"]])
    #expect(figures.value(of: after[0, 1]) == 3)
    #expect(figures.value(of: other[0, 1]) == 0)
    #expect(figures.families == [requests])
  }

  @Test("keeps every combination of three labels apart")
  func combinations() {
    let family = FigureFamily.counter("a_total", "A.", labels: ["x", "y", "z"], hidesZeros: false)
    let figures = Figures(shardCount: 1)
    let axes = [["a", "b"], ["c", "d", "e"], ["f", "g"]]
    let counters = figures.counters(family, axes)
    var expected: [String] = []
    for x in 0..<2 {
      for y in 0..<3 {
        for z in 0..<2 {
          figures.shards[0].add(UInt64(100 * x + 10 * y + z), to: counters[x, y, z])
          expected.append(
            "a_total{x=\"\(axes[0][x])\",y=\"\(axes[1][y])\",z=\"\(axes[2][z])\"} \(100 * x + 10 * y + z)")
        }
      }
    }
    #expect(text(figures).split(separator: "\n").dropFirst(2).map(String.init) == expected)
  }

  @Test("puts a value on a bound into that bound's bucket, and one above all into the last")
  func bounds() {
    let figures = Figures(shardCount: 1)
    let family = FigureFamily.histogram("s", "S.", labels: [], buckets: .sizes, hidesZeros: true)
    let histogram = figures.histograms(family, [])[0]
    #expect(!text(figures).contains("s_count"))
    for value in [0, 256, 257, 16_777_216, 16_777_217] as [UInt64] {
      figures.shards[0].observe(value, in: histogram)
    }
    let shown = text(figures)
    #expect(shown.contains("s_bucket{le=\"256\"} 2\n"))
    #expect(shown.contains("s_bucket{le=\"1024\"} 3\n"))
    #expect(shown.contains("s_bucket{le=\"16777216\"} 4\n"))
    #expect(shown.contains("s_bucket{le=\"+Inf\"} 5\n"))
    #expect(figures.value(of: histogram) == (5, 33_554_946))
  }

  @Test("shows durations from 100 µs to 10 s")
  func durationBuckets() {
    #expect(Double(Buckets.durations.bounds.first ?? 0) / Buckets.durations.divisor == 0.0001)
    #expect(Double(Buckets.durations.bounds.last ?? 0) / Buckets.durations.divisor == 10)
  }

  @Test("loses nothing when a scrape reads while threads count")
  func concurrent() async {
    let figures = Figures(shardCount: 4)
    let counter = figures.counters(requests, [["a"], ["0"]])[0, 0]
    let histogram = figures.histograms(durations, [["a"]])[0]
    await withTaskGroup(of: Void.self) { group in
      for shard in figures.shards {
        group.addTask {
          for _ in 0..<20_000 {
            shard.add(1, to: counter)
            shard.observe(1_000, in: histogram)
          }
        }
      }
      group.addTask {
        for _ in 0..<50 { #expect(text(figures).hasSuffix("\n")) }
      }
    }
    #expect(figures.value(of: counter) == 80_000)
    #expect(figures.value(of: histogram).count == 80_000)
  }

  @Test("refuses a family that is declared in two ways, and a name that no scraper reads")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      let figures = Figures(shardCount: 1)
      figures.declare([.gauge("a", "A.", labels: []), .gauge("a", "B.", labels: [])])
    }
    await #expect(processExitsWith: .failure) { _ = FigureFamily.gauge("0a", "A.", labels: []) }
    await #expect(processExitsWith: .failure) {
      _ = FigureFamily.counter("a", "A.", labels: [], hidesZeros: false)
    }
  }
}

@Suite("ProcessFigures")
struct ProcessFiguresTests {
  @Test("reads what the kernel says of this process")
  func plausible() throws {
    let figures = Figures(shardCount: 1)
    ProcessFigures.collect(in: figures)
    let shown = text(figures)
    for family in ProcessFigures.families { #expect(shown.contains("\n\(family.name) ")) }
    let resident = try #require(ProcessFigures.residentByteCount)
    #expect((1e6...1e11).contains(resident))
    #expect(try #require(ProcessFigures.cpuSeconds) > 0)
    #expect(try #require(ProcessFigures.openDescriptorCount) >= 3)
    let start = try #require(ProcessFigures.startSeconds)
    let now = Double(WallTime.now.unixMilliseconds) / 1_000
    #expect(start > now - 3_600 && start < now + 2)
  }
}
