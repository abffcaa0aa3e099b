import Configuration
import CurlClient
import EventLoop
import Gateway
import Glibc
import OpenSSLSealer
import Paging
import Telemetry

/// `listway pull`: walks a list whole, and writes its items to standard output, a line each.
///
/// What it has written and where it says to go on always agree: a cursor is told of, or kept, when the lines before it have
/// been handed to the system, and none after them.
final class Pull {
  private let options: PullOptions
  private let loop: EventLoop
  private let transport: CurlClient
  private let gateway: Gateway
  private let signals: StopSignals
  private let output: PullOutput
  private let hasLastingKeys: Bool
  private var state: PullState?
  /// Nil only until ``begin()``.
  private var walk: WholeWalk?
  /// Items written to the output, and how many of them the state knows of.
  private var written = 0
  private var saved = 0
  /// Where to go on behind what was written; nil at the list's beginning and end.
  private var cursor: String?
  private var status = ExitStatus.failed

  /// - Returns: the program's exit status.
  static func run(_ options: PullOptions, _ configuration: Configuration) -> Int32 {
    // The next descriptor to be opened would be taken for it.
    guard fcntl(1, F_GETFD) >= 0 else {
      Terminal.error("listway pull: standard output is closed")
      return ExitStatus.failed
    }
    do {
      let signals = StopSignals()
      var state: PullState?
      if let path = options.state { state = try PullState.read(path) ?? PullState() }
      return try Pull(options, configuration, state, signals).run()
    } catch let failure as PullState.Failure {
      Terminal.error("listway pull: \(failure.message)")
      return ExitStatus.usage
    } catch {
      Terminal.error("listway pull: \(error)")
      return ExitStatus.failed
    }
  }

  private init(
    _ options: PullOptions, _ configuration: Configuration, _ state: PullState?, _ signals: StopSignals
  ) throws {
    self.options = options
    self.state = state
    self.signals = signals
    output = PullOutput(descriptor: 1, signals: signals)
    loop = try EventLoop(index: 0)
    transport = try CurlClient(loop: loop)
    let keys = try RunningService.sealingKeys(configuration.cursor, first: state?.key)
    hasLastingKeys = !keys.areRandom
    let process = ProcessState(
      version: Listway.version, configurationName: options.file, loops: [loop],
      upstreams: configuration.upstreams,
      pages: KnownPages(configuration.cache, clock: { .now }), start: .now, wallClock: WallClock.unixSeconds)
    let log = Log(
      level: .error, writer: LogWriter(descriptor: 2, capacity: 1_000_000), clock: { .now })
    let figures = GatewayFigures(Figures(shardCount: 1), configuration: configuration)
    gateway = Gateway(
      configuration: configuration, loop: loop, transport: transport, sealer: try OpenSSLSealer(keys: keys),
      verifier: OpenSSLVerifier(), random: SystemSeededRandom(), process: process, figures: figures, log: log)
  }

  private func run() -> Int32 {
    loop.watch(signals.descriptor, for: .readable) { [unowned self] _ in
      signals.take()
      walk?.stop()
    }
    loop.schedule(at: .now) { [self] in
      loop.start { [self] in
        await pull()
        loop.stop()
      }
    }
    loop.run()
    loop.unwatch(signals.descriptor)
    transport.shutDown()
    return status
  }

  // MARK: The way through

  private func pull() async {
    let report = PullReport(itemsGoToTerminal: output.isTerminal)
    do throws(PullFailure) {
      try await pull(report)
    } catch {
      report.say(error.message)
      status = error.status
    }
  }

  private func pull(_ report: PullReport) async throws(PullFailure) {
    let walk = try openWalk()
    if state?.isComplete == true {
      report.say(
        "\(options.list): whole already, says \(options.state ?? ""); remove that file to begin anew")
      status = ExitStatus.done
      return
    }
    try begin(report)
    self.walk = walk
    report.begin(before: walk.servedBefore)
    while true {
      // A signal that comes behind the last line interrupts nothing any more.
      if walk.isDone, written == walk.count { return try finish(walk, report) }
      if let number = signals.number { return interrupted(by: number, report) }
      switch await walk.next() {
      case .ended: return try finish(walk, report)
      case .failed(let error):
        if let number = signals.number { return interrupted(by: number, report) }
        return failed(error, report)
      case .items(let leg):
        guard try write(leg, of: walk, report) else { return }
        report.note(count: walk.servedBefore + written, total: goal(of: walk))
      }
    }
  }

  /// Opens the cursor, and holds the state to the list that is asked for.
  private func openWalk() throws(PullFailure) -> WholeWalk {
    if state?.cursor != nil, options.cursor != nil {
      throw PullFailure(
        message: "--cursor, and a state file that has one: give one of them", status: ExitStatus.usage)
    }
    if options.cursor != nil, !hasLastingKeys {
      throw PullFailure(
        message: "--cursor needs the key that it was sealed with: configure cursor.keys",
        status: ExitStatus.usage)
    }
    let walk: WholeWalk
    do throws(GatewayError) {
      walk = try gateway.walk(options.target(from: state?.cursor ?? options.cursor))
    } catch {
      throw PullFailure(message: error.message.text(in: .english), status: ExitStatus.usage)
    }
    if let binding = state?.binding, !binding.isEmpty, binding != walk.binding {
      throw PullFailure(
        message:
          "\(options.state ?? "") is the state of another list, or of this one with other parameters or configured "
          + "otherwise", status: ExitStatus.usage)
    }
    state?.binding = walk.binding
    return walk
  }

  /// Puts the output right, and says what cannot be promised.
  private func begin(_ report: PullReport) throws(PullFailure) {
    try putOutputRight()
    if !hasLastingKeys {
      report.say(
        "no cursor key is configured (cursor.keys): what is interrupted here cannot be gone on with, unless --state names "
          + "a file to keep the place in")
    }
    try save(cursor: state?.cursor ?? options.cursor)
  }

  /// Cuts off what a killed pull wrote behind the last page that it took note of. Only of the file that it wrote.
  private func putOutputRight() throws(PullFailure) {
    guard let state, let file = state.file, let expected = state.bytes else { return }
    guard output.identity == file, let found = output.byteCount, found >= expected else {
      throw PullFailure(
        message:
          "standard output is not the file that \(options.state ?? "") goes on with, or less of it: append to the file "
          + "that was being written (>> in place of >)", status: ExitStatus.usage)
    }
    if found > expected, !output.cut(to: expected) {
      throw PullFailure(
        message: "standard output cannot be cut to \(expected) bytes", status: ExitStatus.failed)
    }
  }

  /// What `total` is to the progress: as many items as there will be in the end.
  private func goal(of walk: WholeWalk) -> Int? {
    guard let limit = options.limit else { return walk.total }
    let wanted = walk.servedBefore + limit
    return walk.total.map { min($0, wanted) } ?? wanted
  }

  /// - Returns: whether to go on.
  private func write(_ leg: WholeLeg, of walk: WholeWalk, _ report: PullReport) throws(PullFailure) -> Bool {
    switch output.write(leg.lines) {
    case .whole:
      written += leg.count
      try save(cursor: walk.cursor, isComplete: walk.isComplete)
      return true
    case .interrupted(let lines):
      written += lines
      try save(
        cursor: walk.cursor(after: lines, of: leg), isComplete: lines == leg.count && walk.isComplete)
      return true
    case .closed:
      // Who closes it has seen enough, and knows it.
      status = ExitStatus.signalled(SIGPIPE)
      return false
    case .failed(let lines, let reason, let isCut):
      written += lines
      try save(cursor: walk.cursor(after: lines, of: leg))
      report.say("standard output: \(reason)")
      if isCut { report.say("the output ends with a part of a line, which has to be removed") }
      sayHowToGoOn(report)
      return false
    }
  }

  // MARK: The end

  private func finish(_ walk: WholeWalk, _ report: PullReport) throws(PullFailure) {
    try save(cursor: walk.cursor, isComplete: walk.isComplete)
    status = ExitStatus.done
    sayWarnings(walk, report)
    if walk.isComplete {
      report.say("\(options.list): the whole list: \(report.summary(written))")
    } else {
      report.say("\(options.list): as much as --limit wanted: \(report.summary(written))")
      sayCommand(report)
    }
  }

  private func failed(_ error: GatewayError, _ report: PullReport) {
    report.say("\(error.message.text(in: .english)) (\(error.code.rawValue): \(error.detail))")
    sayHowToGoOn(report)
    // What is wrong with the request is not mended by asking again.
    let isRefused = [.invalidRequest, .invalidCursor, .cursorExpired].contains(error.code)
    status = isRefused && written == 0 ? ExitStatus.usage : ExitStatus.failed
  }

  private func interrupted(by number: Int32, _ report: PullReport) {
    report.say("interrupted by \(number == SIGINT ? "SIGINT" : "SIGTERM")")
    sayHowToGoOn(report)
    status = ExitStatus.signalled(number)
  }

  private func sayHowToGoOn(_ report: PullReport) {
    report.say("\(options.list): \(report.summary(written))")
    sayCommand(report)
  }

  private func sayCommand(_ report: PullReport) {
    if written > 0 || cursor != nil, !hasLastingKeys {
      return report.say("there is no going on: no cursor key is configured, and no --state was given")
    }
    let limit = options.limit.map { $0 > written ? $0 - written : $0 }
    let text = options.command(
      CommandLine.arguments[0], from: options.state == nil ? cursor : nil, limit: limit, output: output.path)
    report.say("go on with:\n  \(text)")
  }

  private func sayWarnings(_ walk: WholeWalk, _ report: PullReport) {
    if walk.warnings.isEmpty { return }
    report.say("warnings: " + walk.warnings.entries.map(\.text).joined(separator: ", "))
  }

  /// Keeps where to go on. Called when all the lines before it have been handed to the system.
  private func save(cursor: String?, isComplete: Bool = false) throws(PullFailure) {
    self.cursor = cursor
    guard let path = options.state, state != nil else { return }
    let unsaved = written - saved
    state?.items += unsaved
    saved = written
    state?.cursor = cursor
    state?.bytes = output.byteCount
    state?.file = output.identity
    state?.isComplete = isComplete
    do throws(PullState.Failure) {
      try state?.write(path)
    } catch {
      throw PullFailure(
        message: "\(error.message); if it has an earlier place, the same command\(repetition(of: unsaved))",
        status: ExitStatus.failed)
    }
  }

  /// How the same command goes on from a place with `count` lines behind it: from a file they are cut off.
  private func repetition(of count: Int) -> String {
    if output.isFile { return ", with >>, goes on from there" }
    let lines = count == 1 ? "line" : "\(ProgressMeter.grouped(count)) lines"
    return count == 0
      ? " goes on from there"
      : " goes on from there, and writes the last \(lines) that this one wrote once more"
  }
}

/// Why a pull ends, and with which exit status.
struct PullFailure: Error {
  let message: String
  let status: Int32
}

extension ExitStatus {
  /// As a shell has it for a program that a signal ended.
  static func signalled(_ number: Int32) -> Int32 { 128 + number }
}
