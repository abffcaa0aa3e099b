import Gateway
import Glibc
import StoreDoubles
import Telemetry
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Pages in a file")
struct SQLiteStoreTests {
  /// A store on a file in a folder of its own. `stop` before another opens the same file.
  private final class Fixture {
    let bench: StoreBench
    let store: SQLiteStore
    let counters = StoreCounters()
    let path: String

    /// What is wrong with these files is meant to be.
    private static let nowhere = open("/dev/null", O_WRONLY)

    init(_ path: String, limit: Int = 64_000_000) throws {
      self.path = path
      let writer = LogWriter(descriptor: Self.nowhere, capacity: 100_000)
      let store = SQLiteStore(path: path, limit: limit, patience: .seconds(20), counters: counters) {
        Log(level: .error, writer: writer, clock: { .now })
      }
      self.store = store
      bench = try StoreBench { store.pages(on: $0) }
    }

    func stop() { #expect(store.stop(within: .seconds(20))) }

    /// Waits until what was given to be written has been, or has failed.
    func settle(_ count: Int) {
      for _ in 0..<2_000 {
        let done = StoreCounters.Write.allCases.reduce(0) { $0 + counters.value($1) }
        if done >= count { return }
        pause(milliseconds: 5)
      }
    }
  }

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/pages.db" }

  init() throws { folder = try TemporaryFolder() }

  private func run(_ sql: String) throws { try Child.shell("sqlite3 '\(path)' \"\(sql)\"") }

  @Test("keep the contract of stores", arguments: StoreContract.all)
  func contract(_ contract: StoreContract) throws {
    let fixture = try Fixture(path)
    try contract.run(fixture.bench)
    fixture.stop()
  }

  @Test("keep the contract with every word written before the next one comes", arguments: StoreContract.all)
  func contractBehind(_ contract: StoreContract) throws {
    // Another process's pages are in the file already.
    let first = try Fixture(path)
    first.bench.store(.sample("before"), as: .sample(list: "elsewhere", page: 99))
    first.stop()
    let fixture = try Fixture(path)
    #expect(fixture.bench.find(.sample(list: "elsewhere", page: 99))?.text == "before")
    _ = fixture.bench.purge(.all)
    try contract.run(fixture.bench)
    fixture.stop()
  }

  @Test("are there after a restart")
  func restart() throws {
    let first = try Fixture(path)
    for page in 0..<100 { first.bench.store(.sample("page \(page)"), as: .sample(page: page)) }
    first.stop()
    #expect(first.counters.value(.stored) == 100)
    let second = try Fixture(path)
    for page in 0..<100 { #expect(second.bench.find(.sample(page: page))?.text == "page \(page)") }
    #expect(second.counters.pages == 100)
    second.stop()
  }

  @Test("never take more than their bound, and the oldest go first", arguments: [1_000_000, 4_000_000])
  func bound(limit: Int) throws {
    let fixture = try Fixture(path, limit: limit)
    let body = [UInt8](repeating: 0x61, count: 10_000)
    let count = 3 * limit / body.count
    for page in 0..<count {
      fixture.bench.store(.sample(body), as: .sample(page: page))
      if page % 25 == 0 { fixture.settle(page) }
    }
    fixture.stop()
    #expect(fixture.counters.value(.stored) == count)
    #expect(fixture.counters.evicted > 0)
    let size = try Int(String(decoding: size(of: path), as: UTF8.self)) ?? .max
    #expect(size <= limit + 200_000)
    let second = try Fixture(path, limit: limit)
    #expect(second.bench.find(.sample(page: 0)) == nil)
    #expect(second.bench.find(.sample(page: count - 1)) != nil)
    let pages = second.counters.pages ?? 0
    #expect(pages > limit / body.count / 2)
    second.stop()
    // A smaller bound is kept as soon as the file is opened.
    let third = try Fixture(path, limit: limit / 2)
    _ = third.bench.find(.sample(page: 0))
    #expect(third.counters.pages ?? 0 < pages)
    third.stop()
  }

  private func size(of path: String) throws -> [UInt8] {
    try Child.shell("stat -c %s '\(path)' | tr -d '\\n' > '\(folder.path)/size'")
    return try folder.read("size")
  }

  @Test("too large a page is left out, and pushes out nothing")
  func tooLarge() throws {
    let fixture = try Fixture(path, limit: 1_000_000)
    fixture.bench.store(.sample("small"), as: .sample(page: 1))
    fixture.bench.store(.sample([UInt8](repeating: 0x61, count: 200_000)), as: .sample(page: 2))
    #expect(fixture.bench.find(.sample(page: 2)) == nil)
    #expect(fixture.bench.find(.sample(page: 1)) != nil)
    #expect(fixture.counters.value(StoreCounters.Write.dropped) == 1)
    fixture.stop()
  }

  @Test("a corrupt file is set aside, and the store goes on in a new one", arguments: [0, 20, 8_192, 40_000])
  func corrupt(offset: Int) throws {
    let first = try Fixture(path)
    for page in 0..<200 {
      first.bench.store(.sample([UInt8](repeating: 0x61, count: 2_000)), as: .sample(page: page))
    }
    first.stop()
    // Its start, the table's root, an index or a row: whatever lies there.
    let damage = offset == 40_000 ? 300_000 : 4_000
    try Child.shell(
      "dd if=/dev/urandom of='\(path)' bs=1 seek=\(offset) count=\(damage) conv=notrunc; rm -f '\(path)'-wal")
    let second = try Fixture(path)
    for page in 0..<200 { _ = second.bench.find(.sample(page: page)) }
    for page in 0..<200 { second.bench.store(.sample("again \(page)"), as: .sample(page: page)) }
    second.settle(200)
    for page in 200..<220 { second.bench.store(.sample("new \(page)"), as: .sample(page: page)) }
    let found = second.bench.findUntil(.sample(page: 219)) { $0 != nil }
    #expect(found?.text == "new 219")
    second.stop()
    let third = try Fixture(path)
    #expect(third.bench.find(.sample(page: 219))?.text == "new 219")
    third.stop()
    #expect(second.counters.setAside == 1)
    try Child.shell("ls '\(path)'.corrupt-*")
  }

  @Test("a file that is no database is set aside")
  func noDatabase() throws {
    try folder.write(String(repeating: "not a database\n", count: 1_000), to: "pages.db")
    let fixture = try Fixture(path)
    fixture.bench.store(.sample("1"), as: .sample())
    fixture.stop()
    #expect(fixture.counters.setAside == 1)
    let second = try Fixture(path)
    #expect(second.bench.find(.sample())?.text == "1")
    second.stop()
    try Child.shell("grep -q 'not a database' '\(path)'.corrupt-*")
  }

  @Test("another program's database is not touched")
  func foreign() throws {
    try run("CREATE TABLE accounts (id); INSERT INTO accounts VALUES (7)")
    let fixture = try Fixture(path)
    fixture.bench.store(.sample("1"), as: .sample())
    #expect(fixture.bench.find(.sample(page: 1)) == nil)
    fixture.stop()
    #expect(!fixture.counters.isUp)
    try Child.shell("test \"$(sqlite3 '\(path)' 'SELECT id FROM accounts')\" = 7")
  }

  @Test("a file of another version is made anew")
  func otherVersion() throws {
    let first = try Fixture(path)
    first.bench.store(.sample("1"), as: .sample())
    first.stop()
    try run("PRAGMA user_version = 77; DROP TABLE page; CREATE TABLE other (a)")
    let second = try Fixture(path)
    #expect(second.bench.find(.sample()) == nil)
    second.bench.store(.sample("2"), as: .sample())
    second.stop()
    let third = try Fixture(path)
    #expect(third.bench.find(.sample())?.text == "2")
    third.stop()
    #expect(second.counters.setAside == 0)
  }

  @Test("a row that was tampered with is not found, and goes")
  func tampered() throws {
    let first = try Fixture(path)
    first.bench.store(.sample("one"), as: .sample(page: 1))
    first.bench.store(.sample("two"), as: .sample(page: 2))
    first.stop()
    try run("UPDATE page SET content = CAST(replace(content, 'two', 'TWO') AS BLOB)")
    let second = try Fixture(path)
    #expect(second.bench.find(.sample(page: 2)) == nil)
    second.bench.store(.sample("three"), as: .sample(page: 3))
    second.stop()
    try Child.shell("test \"$(sqlite3 '\(path)' 'SELECT count(*) FROM page')\" = 2")
  }

  @Test("a file that is deleted under the store is made anew")
  func deleted() throws {
    let fixture = try Fixture(path)
    fixture.bench.store(.sample("1"), as: .sample(page: 1))
    fixture.settle(1)
    try Child.shell("rm '\(path)'*")
    fixture.bench.store(.sample("2"), as: .sample(page: 2))
    fixture.settle(2)
    fixture.stop()
    let second = try Fixture(path)
    #expect(second.bench.find(.sample(page: 2))?.text == "2")
    second.stop()
  }

  @Test("a folder that is not there is no fault of anybody's, and is used once it is there")
  func noFolder() throws {
    let fixture = try Fixture(folder.path + "/later/pages.db")
    #expect(fixture.bench.find(.sample()) == nil)
    fixture.bench.store(.sample("1"), as: .sample())
    #expect(!fixture.counters.isUp)
    try Child.shell("mkdir '\(folder.path)/later'")
    fixture.bench.store(.sample("2"), as: .sample(page: 2))
    fixture.settle(2)
    #expect(fixture.counters.value(.stored) >= 1)
    fixture.stop()
  }

  @Test("a disk without room costs the page and nothing else", .enabled(if: MountedFolder.isPossible))
  func full() throws {
    let disk = try MountedFolder(kilobytes: 400)
    let fixture = try Fixture(disk.path + "/pages.db")
    fixture.bench.store(.sample("first"), as: .sample(page: 0))
    fixture.settle(1)
    try Child.shell("dd if=/dev/zero of='\(disk.path)/filler' bs=1k count=1000 2>/dev/null || true")
    for page in 1..<40 {
      fixture.bench.store(.sample([UInt8](repeating: 0x62, count: 20_000)), as: .sample(page: page))
    }
    fixture.settle(40)
    #expect(fixture.counters.value(StoreCounters.Write.failed) > 0)
    #expect(fixture.counters.errors > 0)
    #expect(fixture.bench.find(.sample(page: 0))?.text == "first")
    // Room again: it goes on by itself.
    try Child.shell("rm '\(disk.path)/filler'")
    let before = fixture.counters.value(StoreCounters.Write.stored)
    for page in 100..<2_000 where fixture.counters.value(StoreCounters.Write.stored) == before {
      fixture.bench.store(.sample("later"), as: .sample(page: page))
      pause(milliseconds: 20)
    }
    #expect(fixture.counters.value(StoreCounters.Write.stored) > before)
    fixture.stop()
  }

  @Test("a disk that cannot be written to is read", .enabled(if: MountedFolder.isPossible))
  func readOnly() throws {
    let disk = try MountedFolder(kilobytes: 4_000)
    let first = try Fixture(disk.path + "/pages.db")
    first.bench.store(.sample("known"), as: .sample())
    first.stop()
    try disk.remount("ro")
    let fixture = try Fixture(disk.path + "/pages.db")
    #expect(fixture.bench.find(.sample())?.text == "known")
    fixture.bench.store(.sample("new"), as: .sample(page: 1))
    fixture.settle(1)
    #expect(fixture.counters.value(StoreCounters.Write.failed) == 1)
    #expect(fixture.bench.find(.sample())?.text == "known")
    try disk.remount("rw")
    for page in 2..<2_000 where fixture.counters.value(StoreCounters.Write.stored) == 0 {
      fixture.bench.store(.sample("later"), as: .sample(page: page))
      pause(milliseconds: 20)
    }
    #expect(fixture.counters.value(StoreCounters.Write.stored) > 0)
    fixture.stop()
  }

  @Test("what comes faster than the disk takes it is dropped, the oldest first")
  func dropped() {
    var queue = WriteQueue(limit: 10_000)
    var dropped = 0
    for page in 0..<100 { dropped += queue.add(.sample("page"), as: .sample(page: page)) }
    #expect(queue.byteCount <= 10_000)
    #expect(dropped == 100 - queue.count)
    #expect(queue.page(.sample(page: 99)) != nil)
    #expect(queue.page(.sample(page: 0)) == nil)
    let taken = queue.take(1_000)
    #expect(taken.map(\.key) == (dropped..<100).map { StoreKey.sample(page: $0) })
    #expect(queue.isEmpty && queue.byteCount == 0)
  }
}
