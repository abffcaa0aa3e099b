/// One thread's log: structured JSON lines, a constant message and fields.
///
///     log.info("request") { line in
///       line.field("method", "GET")
///       line.field("seconds", duration)
///     }
///     → {"time":"2026-08-25T12:00:00.123Z","level":"info","message":"request","method":"GET","seconds":0.000412}
///
/// Lines gather in a buffer and go to the writer's thread together, at the end of a loop's turn. The clock is read once a
/// turn, by the first line. Not Sendable: a log belongs to its thread.
package final class Log {
  /// What a turn may gather before it is handed over within it.
  private static let handOverByteCount = 65_536

  /// Less serious lines are not written. It may change at any time.
  package var level: LogLevel
  private let writer: LogWriter
  private let clock: () -> WallTime
  private var buffer: [UInt8] = []
  private var lineCount = 0
  /// This turn's time as a JSON string; empty before the turn's first line.
  private var time: [UInt8] = []

  package init(level: LogLevel, writer: LogWriter, clock: @escaping () -> WallTime) {
    self.level = level
    self.writer = writer
    self.clock = clock
  }

  package func isWritten(_ level: LogLevel) -> Bool { level >= self.level }

  /// - Parameter fields: is called only when the line is written.
  package func write(_ level: LogLevel, _ message: StaticString, _ fields: (inout LogLine) -> Void) {
    guard isWritten(level) else { return }
    if time.isEmpty { readClock() }
    var line = LogLine(level: level, time: time, message: message)
    fields(&line)
    buffer.append(contentsOf: line.finish())
    lineCount += 1
    if buffer.count >= Log.handOverByteCount { handOver() }
  }

  package func debug(_ message: StaticString, _ fields: (inout LogLine) -> Void) {
    write(.debug, message, fields)
  }
  package func info(_ message: StaticString, _ fields: (inout LogLine) -> Void) {
    write(.info, message, fields)
  }
  package func warn(_ message: StaticString, _ fields: (inout LogLine) -> Void) {
    write(.warn, message, fields)
  }
  package func error(_ message: StaticString, _ fields: (inout LogLine) -> Void) {
    write(.error, message, fields)
  }

  /// Hands this turn's lines to the writer. Never waits: lines for which there is no room are dropped and counted.
  package func endTurn() {
    if lineCount > 0 { handOver() }
    time.removeAll(keepingCapacity: true)
  }

  private func handOver() {
    writer.take(buffer, lineCount: lineCount)
    buffer.removeAll(keepingCapacity: true)
    lineCount = 0
  }

  private func readClock() {
    time.append(UInt8(ascii: "\""))
    clock().append(to: &time)
    time.append(UInt8(ascii: "\""))
  }
}
