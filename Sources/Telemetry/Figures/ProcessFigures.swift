internal import Glibc

/// What the kernel counts of this process, under the names that every Prometheus client uses.
package enum ProcessFigures {
  package static let residentMemory = FigureFamily.gauge(
    "process_resident_memory_bytes", "Resident memory size in bytes.", labels: [])
  package static let cpu = FigureFamily.counter(
    "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", labels: [],
    hidesZeros: false)
  package static let openDescriptors = FigureFamily.gauge(
    "process_open_fds", "Number of open file descriptors.", labels: [])
  package static let maximumDescriptors = FigureFamily.gauge(
    "process_max_fds", "Maximum number of open file descriptors.", labels: [])
  package static let startTime = FigureFamily.gauge(
    "process_start_time_seconds", "Start time of the process since unix epoch in seconds.", labels: [])

  package static let families = [residentMemory, cpu, openDescriptors, maximumDescriptors, startTime]

  /// Reads them at each scrape. Where `/proc` is not mounted, what it would say is left out.
  package static func collect(in figures: Figures) {
    figures.collect(residentMemory) { readings(residentByteCount) }
    figures.collect(cpu) { readings(cpuSeconds) }
    figures.collect(openDescriptors) { readings(openDescriptorCount) }
    figures.collect(maximumDescriptors) { readings(maximumDescriptorCount) }
    figures.collect(startTime) { readings(startSeconds) }
  }

  private static func readings(_ value: Double?) -> [Figures.Reading] {
    value.map { [Figures.Reading(labels: [], value: $0)] } ?? []
  }

  static var residentByteCount: Double? {
    guard let pages = fields(of: "/proc/self/statm")?.dropFirst().first.flatMap({ Double($0) }) else {
      return nil
    }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  static var cpuSeconds: Double? {
    var usage = rusage()
    guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }

  static var openDescriptorCount: Double? {
    guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return Double(count - 3)  // not ".", "..", and the directory itself
  }

  static var maximumDescriptorCount: Double? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return limit.rlim_cur == rlim_t.max ? .infinity : Double(limit.rlim_cur)
  }

  /// The boot time plus field 22 of stat, in clock ticks (proc(5)). The command, field 2, may hold spaces and
  /// parentheses, so what follows its last one is counted.
  static var startSeconds: Double? {
    guard let stat = contents(of: "/proc/self/stat"), let end = stat.lastIndex(of: ")") else { return nil }
    let rest = stat[stat.index(after: end)...].split(separator: " ")
    guard rest.count > 19, let ticks = Double(rest[19]), let boot = bootSeconds else { return nil }
    return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static var bootSeconds: Double? {
    contents(of: "/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
      .flatMap { Double($0.dropFirst("btime ".count)) }
  }

  private static func fields(of path: String) -> [Substring]? {
    contents(of: path)?.split { $0 == " " || $0 == "\n" }
  }

  private static func contents(of path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe read(file, &chunk, chunk.count)
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes += chunk[..<count]
    }
  }
}
