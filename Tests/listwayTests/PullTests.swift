import Foundation
import TestSupport
import Testing

/// The real program pulling a list, over real sockets.
@Suite("Pull", .timeLimit(.minutes(10)), .serialized)
struct PullTests {
  private static func items(_ count: Int) -> [String] {
    (0..<count).map { #"{"id":\#(9_007_199_254_740_993 + $0),"amount":\#($0).10,"name":"é ☕️ \#($0)"}"# }
  }

  private static func upstream(_ items: [String]) throws -> ListUpstream {
    try ListUpstream(items: items) { part, _, _ in
      "{\"list\":[\(part.joined(separator: ",\n"))],\"total\":\(items.count)}"
    }
  }

  private static let key = String(repeating: "k", count: 32)

  private func configuration(_ port: UInt16, keys: String = "[\"\(key)\"]") -> String {
    """
    cursor: {keys: \(keys)}
    upstreams:
      shop: {url: "http://127.0.0.1:\(port)", timeout: {connect: 1s, total: 20s}, retries: {attempts: 1}}
    lists:
      items:
        upstream: shop
        parameters: {word: {type: string}}
        request: {path: /items, query: {w: "{word}"}}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
        items: {at: /list, id: /id}
        says: {total: /total}
    """
  }

  /// A folder with a configuration, in which a shell runs pulls.
  private final class Desk {
    let folder: TemporaryFolder
    init(_ configuration: String) throws {
      folder = try TemporaryFolder()
      try folder.write(configuration, to: "listway.yaml")
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/listway", withDestinationPath: Program.executable.path)
    }

    /// Runs a shell's line in the folder, with standard error in the file `error`.
    ///
    /// - Returns: its exit status.
    func run(_ line: String) throws -> Int32 { try start(line).wait() }

    func start(_ line: String, error: String = "error") throws -> Child {
      try Child("/bin/bash", ["-c", "cd '\(folder.path)' && { \(line) ; } 2> \(error)"])
    }

    /// Runs a shell's line that is no pull, and must work.
    func prepare(_ line: String) throws {
      #expect(try start(line, error: "/dev/null").wait() == 0, "\(line)")
    }

    func text(_ name: String) -> String {
      (try? folder.read(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var error: String { text("error") }
    var lines: [String] { text("out").split(separator: "\n").map(String.init) }

    /// The command that the last pull said to go on with.
    func goOn() throws -> String {
      let rest = try #require(error.components(separatedBy: "go on with:\n  ").dropFirst().first, "\(error)")
      return try #require(rest.split(separator: "\n").first.map(String.init))
    }
  }

  @Test("a list is written whole, an item a line, and the end is told", arguments: [0, 1, 20, 57, 1_000])
  func whole(count: Int) throws {
    let items = Self.items(count)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    #expect(try desk.run("./listway pull listway.yaml items word='a b&c' > out") == 0)
    #expect(desk.lines == items)
    #expect(desk.error.contains("items: the whole list: "), "\(desk.error)")
    #expect(upstream.requests.first?.target == "/items?w=a%20b%26c&page=1&size=20")
  }

  @Test(
    "parts of any length go on in each other with the commands that they print", arguments: [1, 13, 20, 40])
  func limits(limit: Int) throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    var command = "./listway pull listway.yaml items --limit \(limit) > out"
    for part in 1...60 {
      try #require(try desk.run(command) == 0, "\(desk.error)")
      #expect(desk.lines == Array(items.prefix(part * limit)))
      if desk.lines.count == items.count { break }
      command = try desk.goOn()
      #expect(command.hasSuffix("/out"))
    }
    #expect(desk.lines == items)
  }

  @Test("a page that fails is told of with what was written, and the command goes on exactly there")
  func failure() throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    upstream.fail(page: 3, with: .status(500, contentType: "text/plain", body: "oops"))
    #expect(try desk.run("./listway pull listway.yaml items > out") == 1)
    #expect(desk.lines == Array(items[..<40]))
    #expect(desk.error.contains("upstream_fault") && desk.error.contains("40 items written"), "\(desk.error)")
    // Asked for once: nothing is tried again in silence.
    #expect(upstream.pagesAsked == [1, 2, 3])
    #expect(try desk.run(try desk.goOn()) == 0)
    #expect(desk.lines == items)
  }

  @Test("nothing written is said too, and what is wrong with the request is wrong usage")
  func atOnce() throws {
    let upstream = try Self.upstream(Self.items(57))
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    upstream.fail(page: 1, with: .status(500, contentType: "text/plain", body: "oops"))
    #expect(try desk.run("./listway pull listway.yaml items > out") == 1)
    #expect(desk.error.contains("0 items written"), "\(desk.error)")
    #expect(try desk.goOn().hasPrefix("./listway pull listway.yaml items >> "))
    for (arguments, words) in [
      ("nothing", "There is no list \"nothing\""), ("items color=red", "unknown parameter"),
      ("items --cursor AAAA", "not a cursor of this list"), ("items --limit 0", "--limit"),
      ("items word", "NAME=VALUE"), ("items limit=3", "--limit"),
    ] {
      #expect(try desk.run("./listway pull listway.yaml \(arguments) > out") == 2)
      #expect(desk.error.contains(words), "\(desk.error)")
      #expect(desk.lines == [])
    }
    #expect(try desk.run("./listway pull listway.yaml items >&-") == 1)
    #expect(desk.error.contains("standard output is closed"), "\(desk.error)")
    upstream.fail(page: 1, with: .status(429, contentType: "text/plain", body: "slow down"))
    #expect(try desk.run("./listway pull listway.yaml items > out") == 1)
    #expect(desk.error.contains("rate_limited"), "\(desk.error)")
  }

  @Test(
    "a signal ends it at once while the upstream is waited for", arguments: [("INT", 130), ("TERM", 143)])
  func interrupted(signal: String, status: Int32) throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    upstream.fail(page: 2, with: .delay(.seconds(15)))
    let pull = try desk.start("./listway pull listway.yaml items > out & echo $! > pid; wait $!")
    while upstream.pagesAsked.count < 2 { usleep(2_000) }
    let begin = ContinuousClock.now
    try desk.prepare("kill -\(signal) $(cat pid)")
    // Bash starts what runs in the background with SIGINT ignored, and that is kept blocked all the same.
    #expect(pull.wait() == status)
    #expect(.now - begin < .seconds(10))
    #expect(desk.lines == Array(items[..<20]))
    #expect(desk.error.contains("interrupted by SIG\(signal)"), "\(desk.error)")
    upstream.recover()
    #expect(try desk.run(try desk.goOn()) == 0)
    #expect(desk.lines == items)
  }

  @Test("a signal while nobody reads ends it behind a whole line, and no item is lost or doubled")
  func interruptedWhileWriting() throws {
    let items = Self.items(3_000)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port).replacing("value: 20", with: "value: 3000"))
    // The reader opens the pipe, takes nothing until the signal has come, and then everything. All is on one page, of which
    // the pipe holds a part.
    try desk.prepare("mkfifo pipe")
    let reader = try desk.start(
      "exec 3< pipe; while [ ! -e go ]; do sleep 0.02; done; cat <&3 > out", error: "/dev/null")
    let pull = try desk.start("./listway pull listway.yaml items > pipe & echo $! > pid; wait $!")
    while upstream.pagesAsked.isEmpty { usleep(2_000) }
    usleep(500_000)
    try desk.prepare("kill -TERM $(cat pid); sleep 0.3; touch go")
    #expect(pull.wait() == 143)
    #expect(reader.wait() == 0)
    let lines = desk.lines
    #expect(lines.count < items.count && lines == Array(items.prefix(lines.count)))
    #expect(desk.error.contains("interrupted by SIGTERM"), "\(desk.error)")
    #expect(try desk.run("\(try desk.goOn()) >> out") == 0)
    #expect(desk.lines == items)
  }

  @Test("a signal within the last line of a page ends it behind that line")
  func interruptedInLastLine() throws {
    // One item a page, of which a pipe holds a part.
    let items = (1...3).map { #"{"id":\#($0),"text":"\#(String(repeating: "x", count: 300_000))"}"# }
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port).replacing("value: 20", with: "value: 1"))
    try desk.prepare("mkfifo pipe")
    let reader = try desk.start(
      "exec 3< pipe; while [ ! -e go ]; do sleep 0.02; done; cat <&3 > out", error: "/dev/null")
    // Were it to go on for ever, it would be killed, with another status.
    let pull = try desk.start(
      "timeout --foreground -k 20 60 ./listway pull listway.yaml items > pipe & echo $! > pid; wait $!")
    while upstream.pagesAsked.isEmpty { usleep(2_000) }
    usleep(500_000)
    try desk.prepare("kill -TERM $(cat pid); sleep 0.3; touch go")
    #expect(pull.wait() == 143)
    #expect(reader.wait() == 0)
    #expect(desk.lines == [items[0]])
    #expect(try desk.run("\(try desk.goOn()) >> out") == 0)
    #expect(desk.lines == items)
  }

  @Test("a reader that closes ends it without a word")
  func closed() throws {
    let upstream = try Self.upstream(Self.items(3_000))
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    #expect(try desk.run("./listway pull listway.yaml items | head -3 > out; exit ${PIPESTATUS[0]}") == 141)
    #expect(desk.lines == Array(Self.items(3)))
    #expect(desk.error == "")
  }

  @Test("a full disk is told of, with nothing half-written left behind")
  func fullDisk() throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    // A file may be no longer than this: the write that would pass it is cut short, and the next one fails.
    #expect(try desk.run("trap '' XFSZ; ulimit -f 2; ./listway pull listway.yaml items > out") == 1)
    #expect(desk.error.contains("File too large"), "\(desk.error)")
    let lines = desk.lines
    #expect(!lines.isEmpty && lines.count < 57 && lines == Array(items.prefix(lines.count)))
    #expect(desk.text("out").hasSuffix("}\n"))
    #expect(try desk.run(try desk.goOn()) == 0)
    #expect(desk.lines == items)
  }

  // MARK: Keys and states

  @Test("without a key it is said up front that there is no going on, and no command is printed")
  func withoutKey() throws {
    let upstream = try Self.upstream(Self.items(57))
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port, keys: "[]"))
    upstream.fail(page: 2, with: .status(500, contentType: "text/plain", body: "oops"))
    #expect(try desk.run("./listway pull listway.yaml items > out") == 1)
    #expect(desk.error.contains("no cursor key is configured (cursor.keys)"), "\(desk.error)")
    #expect(
      desk.error.contains("there is no going on") && !desk.error.contains("go on with:"), "\(desk.error)")
    #expect(try desk.run("./listway pull listway.yaml items --cursor AAAA > out") == 2)
    #expect(desk.error.contains("configure cursor.keys"), "\(desk.error)")
  }

  @Test("a state file goes on without a key, with the same command")
  func state() throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port, keys: "[]"))
    upstream.fail(page: 2, with: .status(500, contentType: "text/plain", body: "oops"))
    #expect(try desk.run("./listway pull listway.yaml items --state place > out") == 1)
    let command = try desk.goOn()
    #expect(command.hasPrefix("./listway pull listway.yaml items --state place >> "))
    try desk.prepare("stat -c %a place > mode")
    #expect(desk.text("mode") == "600\n")
    // Truncating the file by mistake is found out before it costs anything.
    try desk.prepare("cp -p out kept")
    #expect(try desk.run("./listway pull listway.yaml items --state place > out") == 2)
    #expect(desk.error.contains("append to the file"), "\(desk.error)")
    try desk.prepare("cat kept >> out")
    #expect(try desk.run("./listway pull listway.yaml items --state place >> other") == 2)
    #expect(try desk.run(command) == 0)
    #expect(desk.lines == items)
    // Once more does no harm.
    #expect(try desk.run(command) == 0 && desk.lines == items)
    #expect(desk.error.contains("whole already"), "\(desk.error)")
    // It belongs to this list with these parameters.
    upstream.fail(page: 2, with: .status(500, contentType: "text/plain", body: "oops"))
    #expect(try desk.run("rm place; ./listway pull listway.yaml items --state place > out") == 1)
    #expect(try desk.run("./listway pull listway.yaml items word=x --state place >> out") == 2)
    #expect(desk.error.contains("not a cursor of this list"), "\(desk.error)")
  }

  @Test("a pull that is killed goes on from its state file: nothing lost, nothing doubled", arguments: 1...3)
  func killed(page: Int) throws {
    let items = Self.items(80)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port, keys: "[]"))
    upstream.fail(page: page, with: .delay(.seconds(10)))
    let command = "./listway pull listway.yaml items --state place >> out"
    let pull = try desk.start("\(command) & echo $! > pid; wait $!")
    while upstream.pagesAsked.count < page { usleep(2_000) }
    try desk.prepare("kill -KILL $(cat pid)")
    #expect(pull.wait() == 137)
    // As if it had been killed in the middle of the next page's lines.
    try desk.prepare("printf '%s' '\(items[(page - 1) * 20])\n{\"id\":90' >> out")
    #expect(try desk.run(command) == 0, "\(desk.error)")
    #expect(desk.lines == items)
  }

  @Test("a state that cannot be kept, or is none, is told of before anything is written")
  func badState() throws {
    let upstream = try Self.upstream(Self.items(57))
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    #expect(try desk.run("./listway pull listway.yaml items --state nowhere/place > out") == 1)
    #expect(desk.error.contains("nowhere/place.new: cannot be written"), "\(desk.error)")
    #expect(
      try desk.run("echo '{\"key\":1}' > place; ./listway pull listway.yaml items --state place > out") == 2)
    #expect(desk.error.contains("not a state file"), "\(desk.error)")
    #expect(desk.lines == [] && upstream.pagesAsked == [])
  }

  @Test("a state is one of its list: what it says of that is not said of another")
  func stateOfAnother() throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let text = configuration(upstream.port)
    let list = try #require(text.components(separatedBy: "  items:\n").last)
    let desk = try Desk(text + "\n  others:\n" + list)
    #expect(try desk.run("./listway pull listway.yaml items word=a --state place > out") == 0)
    let asked = upstream.pagesAsked
    for (arguments, words) in [
      ("others word=a", "the state of another list"), ("items word=b", "the state of another list"),
      ("items", "the state of another list"), ("nothing", "There is no list \"nothing\""),
    ] {
      #expect(try desk.run("./listway pull listway.yaml \(arguments) --state place >> out") == 2)
      #expect(desk.error.contains(words), "\(desk.error)")
    }
    #expect(try desk.run("./listway pull listway.yaml items word=a --state place >> out") == 0)
    #expect(desk.error.contains("whole already"), "\(desk.error)")
    #expect(desk.lines == items && upstream.pagesAsked == asked)
  }

  @Test("any number may be wanted of a list, at its beginning and further on")
  func greatestLimit() throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    let command = "./listway pull listway.yaml items --limit 9223372036854775807 --state place >> out"
    upstream.fail(page: 2, with: .status(500, contentType: "text/plain", body: "oops"))
    #expect(try desk.run(command) == 1)
    #expect(try desk.run(command) == 0, "\(desk.error)")
    #expect(desk.lines == items)
  }

  @Test("where a state cannot be kept and the output cannot be cut, it is told how many lines come again")
  func lostPlace() throws {
    let items = Self.items(57)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    upstream.fail(page: 2, with: .delay(.seconds(8)))
    let command = "./listway pull listway.yaml items --state place | cat >> out; exit ${PIPESTATUS[0]}"
    let pull = try desk.start(command)
    while upstream.pagesAsked.count < 2 { usleep(2_000) }
    // Nothing can be written where a folder is.
    try desk.prepare("mkdir place.new")
    #expect(pull.wait() == 1)
    #expect(desk.error.contains("writes the last 20 lines that this one wrote once more"), "\(desk.error)")
    try desk.prepare("rmdir place.new")
    #expect(try desk.run(command) == 0, "\(desk.error)")
    #expect(desk.lines == Array(items[..<40]) + items[20...])
    // A disk without room: what was begun does not stay.
    #expect(
      try desk.run(
        "(trap '' XFSZ; ulimit -f 0; ./listway pull listway.yaml items --state full 2>&1) | cat > said; exit ${PIPESTATUS[0]}"
      ) == 1)
    #expect(desk.text("said").contains("full.new: cannot be written: File too large"))
    try desk.prepare("[ ! -e full.new ] && [ ! -e full ]")
  }

  @Test("on a terminal there is a bar, which is gone in the end")
  func terminal() throws {
    let items = Self.items(400)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let desk = try Desk(configuration(upstream.port))
    // script(1) gives standard error a terminal.
    try #require(Child.isInstalled("/usr/bin/script"))
    #expect(try desk.run("script -qec './listway pull listway.yaml items > out' screen > /dev/null") == 0)
    #expect(desk.lines == items)
    let screen = desk.text("screen")
    #expect(
      screen.contains("of 400  ") && screen.contains("[#") && screen.contains("\r\u{1B}[K"), "\(screen)")
    #expect(screen.contains("the whole list: 400 items written"), "\(screen)")
  }
}
