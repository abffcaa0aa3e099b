import Glibc
import Testing

@testable import Telemetry

/// A pipe whose reading end is ours.
private struct Pipe: ~Copyable {
  let reader: Int32
  let writer: Int32

  init() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    (reader, writer) = (ends[0], ends[1])
  }

  /// Writes until no byte more finds room.
  func fill() {
    let flags = fcntl(writer, F_GETFL)
    _ = fcntl(writer, F_SETFL, flags | O_NONBLOCK)
    while write(writer, "\n", 1) == 1 {}
    _ = fcntl(writer, F_SETFL, flags)
  }

  /// What is written until the writing end is closed.
  func readAll() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(reader, &chunk, chunk.count)
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  deinit { close(reader) }
}

private let time = WallTime(unixMilliseconds: 1_787_659_200_123)

private func logged(_ level: LogLevel = .info, _ write: (Log) -> Void) -> String {
  let pipe = Pipe()
  let writer = LogWriter(descriptor: pipe.writer, capacity: 1 << 20)
  let log = Log(level: level, writer: writer) { time }
  write(log)
  log.endTurn()
  #expect(writer.stop(within: .seconds(5)))
  close(pipe.writer)
  return pipe.readAll()
}

@Suite("Log")
struct LogTests {
  @Test("writes one JSON object a line, with its fields in order")
  func line() {
    let text = logged { log in
      log.info("request") { line in
        line.field("method", "GET")
        line.field("path", "/v1/\"lists\"\n" as String)
        line.field("bytes", 7_400)
        line.field("seconds", Duration.microseconds(412))
        line.field("ratio", 0.5)
        line.field("hit", true)
        line.field("agent", text: [0x61, 0xFF, 0x62])
      }
    }
    #expect(
      text == #"""
        {"time":"2026-08-25T12:00:00.123Z","level":"info","message":"request","method":"GET","path":"/v1/\"lists\"\n","bytes":7400,"seconds":0.000412,"ratio":0.5,"hit":true,"agent":"a�b"}

        """#)
  }

  @Test("never shows a secret, and says whether there was one")
  func secret() {
    let text = logged { log in
      log.warn("session") { line in
        line.field("token", secret: "hunter2" as String?)
        line.field("password", secret: String?.none)
      }
    }
    #expect(text.hasSuffix(#""token":"(secret)","password":null}"# + "\n"))
    #expect(!text.contains("hunter2"))
  }

  @Test("leaves out what is less serious, and does not ask for its fields", arguments: LogLevel.allCases)
  func levels(level: LogLevel) {
    var asked = 0
    let text = logged(level) { log in
      for other in LogLevel.allCases { log.write(other, "x") { _ in asked += 1 } }
    }
    let expected = LogLevel.allCases.filter { $0 >= level }
    #expect(asked == expected.count)
    #expect(text.split(separator: "\n").count == expected.count)
    for other in LogLevel.allCases {
      #expect(text.contains("\"level\":\"\(other.name)\"") == expected.contains(other))
    }
  }

  @Test("cuts a text that is too long, and stays one line")
  func longText() {
    let text = logged { log in
      log.info("x") { $0.field("path", String(repeating: "网", count: 10_000)) }
    }
    #expect(text.utf8.count < LogLine.longestText + 200)
    #expect(text.hasSuffix("\"}\n"))
  }

  @Test("reads the clock once a turn")
  func clock() {
    let pipe = Pipe()
    let writer = LogWriter(descriptor: pipe.writer, capacity: 1 << 20)
    var readings = 0
    let log = Log(level: .info, writer: writer) {
      readings += 1
      return WallTime(unixMilliseconds: Int64(readings))
    }
    for _ in 0..<3 {
      log.info("a") { _ in }
      log.info("b") { _ in }
      log.endTurn()
    }
    #expect(readings == 3)
    log.endTurn()
    #expect(readings == 3)
    #expect(writer.stop(within: .seconds(5)))
    close(pipe.writer)
    let lines = pipe.readAll().split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines.last?.contains("1970-01-01T00:00:00.003Z") == true)
  }

  @Test(
    "writes times before and after 1970, to the millisecond",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_007, "2000-02-29T00:00:00.007Z"),
    ] as [(Int64, String)])
  func times(milliseconds: Int64, expected: String) {
    var bytes: [UInt8] = []
    WallTime(unixMilliseconds: milliseconds).append(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
  }

  @Test("keeps lines whole when several threads log at once")
  func threads() async throws {
    let pipe = Pipe()
    let writer = LogWriter(descriptor: pipe.writer, capacity: 1 << 24)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let log = Log(level: .info, writer: writer) { time }
          for number in 0..<100 {
            log.info("x") { line in
              line.field("thread", thread)
              line.field("number", number)
            }
            if number % 7 == 0 { log.endTurn() }
          }
          log.endTurn()
        }
      }
    }
    let reader = pipe.reader
    async let text = withCheckedContinuation { continuation in
      let thread = Reader(descriptor: reader, continuation: continuation)
      thread.start()
    }
    #expect(writer.stop(within: .seconds(5)))
    close(pipe.writer)
    let lines = await text.split(separator: "\n")
    #expect(lines.count == 400)
    for line in lines { #expect(line.hasPrefix("{\"time\":") && line.hasSuffix("}")) }
    for thread in 0..<4 {
      let numbers = lines.filter { $0.contains("\"thread\":\(thread),") }.compactMap {
        $0.split(separator: ":").last
      }
      #expect(numbers.map(String.init) == (0..<100).map { "\($0)}" })
    }
  }
}

@Suite("LogWriter")
struct LogWriterTests {
  @Test("drops lines while the descriptor blocks, holds nobody up, and says how many")
  func blocked() throws {
    let pipe = Pipe()
    pipe.fill()
    let writer = LogWriter(descriptor: pipe.writer, capacity: 16_384)
    let line = Array((String(repeating: "x", count: 99) + "\n").utf8)
    let taking = ContinuousClock().measure {
      for _ in 0..<10_000 { writer.take(line, lineCount: 1) }
    }
    #expect(taking < .seconds(2))
    let dropped = Int(writer.droppedLineCount)
    #expect((9_600..<10_000).contains(dropped))
    #expect(!writer.stop(within: .milliseconds(20)))
    // The reader comes back: all that was taken arrives, and the count of what was not.
    var text = ""
    var reported = 0
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while reported < dropped || !text.hasSuffix("\n") {
      let count = read(pipe.reader, &chunk, chunk.count)
      try #require(count > 0)
      text += String(decoding: chunk[..<count], as: UTF8.self)
      let reports = text.split(separator: "\n").filter { $0.contains(#""message":"log lines were dropped""#) }
      reported = reports.compactMap { $0.split(separator: ":").last.flatMap { Int($0.dropLast()) } }.reduce(
        0, +)
    }
    #expect(reported == dropped)
    #expect(text.split(separator: "\n").count { $0.hasPrefix("xxx") } == 10_000 - dropped)
    close(pipe.writer)
  }

  @Test("counts what a reader that went away never got, and no signal ends the process")
  func readerGone() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    close(ends[0])
    let writer = LogWriter(descriptor: ends[1], capacity: 1_024)
    writer.take(Array("a\nb\n".utf8), lineCount: 2)
    #expect(writer.stop(within: .seconds(5)))
    #expect(writer.droppedLineCount == 2)
    writer.take(Array("c\n".utf8), lineCount: 1)
    #expect(writer.droppedLineCount == 3)
    close(ends[1])
  }

  @Test("writes everything that was taken before it stops")
  func flush() {
    let text = logged { log in
      for _ in 0..<300 { log.info("x") { _ in } }
    }
    #expect(text.split(separator: "\n").count == 300)
  }
}

/// Reads a descriptor to its end, on a thread of its own.
private final class Reader: Sendable {
  private let descriptor: Int32
  private let continuation: CheckedContinuation<String, Never>

  init(descriptor: Int32, continuation: CheckedContinuation<String, Never>) {
    self.descriptor = descriptor
    self.continuation = continuation
  }

  func start() {
    var thread = pthread_t()
    pthread_create(&thread, nil, Reader.body, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context else { return nil }
    let reader = Unmanaged<Reader>.fromOpaque(context).takeRetainedValue()
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(reader.descriptor, &chunk, chunk.count)
      if count <= 0 { break }
      bytes += chunk[..<count]
    }
    reader.continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
    return nil
  }
}
