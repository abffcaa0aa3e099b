import Gateway
import Glibc

extension PageFile {
  /// "Lway": of a file that belongs to another program nothing is touched.
  private static let applicationID: Int64 = 0x4C77_6179
  private static let schemaVersion: Int64 = 1

  /// Opens the file, and makes it where there is none. A file that cannot be written to is read.
  static func open(_ path: String, limit: Int) throws(SQLiteFailure) -> PageFile {
    do throws(SQLiteFailure) {
      return try openForWriting(path, limit: limit)
    } catch {
      if error.kind == .foreign || error.kind == .corrupt { throw error }
      // A write-ahead log needs more than the right to read.
      guard unsafe access(path, R_OK) == 0 else { throw error }
      do throws(SQLiteFailure) {
        return try PageFile(try Database.open(path, .immutable), limit: limit)
      } catch let other {
        throw other.kind == .corrupt ? other : error
      }
    }
  }

  private static func openForWriting(_ path: String, limit: Int) throws(SQLiteFailure) -> PageFile {
    var database = try Database.open(path, .full)
    let version = try database.number("PRAGMA user_version")
    let application = try database.number("PRAGMA application_id")
    let isEmpty = try database.number("SELECT count(*) FROM sqlite_schema") == 0
    guard isEmpty || application == applicationID else {
      throw SQLiteFailure(.foreign, "it is another program's database")
    }
    if database.isReadOnly { return try PageFile(database, limit: limit) }
    if !isEmpty && version != schemaVersion {
      // Nothing in it that could not be fetched again.
      database = try replace(database, path)
    }
    if isEmpty || version != schemaVersion { try database.run("PRAGMA auto_vacuum = INCREMENTAL") }
    try database.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304")
    if isEmpty || version != schemaVersion { try database.run(schema) }
    let file = try PageFile(database, limit: limit)
    try file.shrink(database)
    return file
  }

  /// A file that was allowed to be larger once.
  private func shrink(_ database: Database) throws(SQLiteFailure) {
    let now = UnixTime.milliseconds()
    let evicted = try write { () throws(SQLiteFailure) in try makeRoom(now: now) }
    if evicted > 0 { try database.run("PRAGMA incremental_vacuum") }
  }

  private static func replace(_ database: consuming Database, _ path: String) throws(SQLiteFailure)
    -> Database
  {
    _ = consume database
    for suffix in FileSet.suffixes { unsafe unlink(path + suffix) }
    return try Database.open(path, .full)
  }

  private static let schema = """
    BEGIN;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(schemaVersion);
    CREATE TABLE page (
      id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, list BLOB NOT NULL, series BLOB NOT NULL,
      stored INTEGER NOT NULL, keep INTEGER NOT NULL, head BLOB NOT NULL, content BLOB NOT NULL);
    CREATE INDEX page_series ON page (list, series);
    CREATE INDEX page_stored ON page (stored);
    CREATE INDEX page_keep ON page (keep);
    COMMIT;
    """
}

/// The files that make a database.
struct FileSet {
  static let suffixes = ["", "-wal", "-shm"]

  let path: String
  /// Which files they were when they were opened.
  private let identities: [UInt64]

  init(_ path: String) {
    self.path = path
    identities = Self.identities(path)
  }

  /// Whether the files are still those that were opened: what is written to others is written for nobody.
  var isInPlace: Bool { Self.identities(path) == identities }

  /// Gives what is there another name.
  ///
  /// - Parameter now: Unix milliseconds.
  /// - Returns: the name; nil where that failed.
  static func setAside(_ path: String, now: Int64) -> String? {
    let aside = "\(path).corrupt-\(now / 1_000)"
    guard unsafe rename(path, aside) == 0 else { return nil }
    for suffix in suffixes.dropFirst() { unsafe rename(path + suffix, aside + suffix) }
    return aside
  }

  /// The inodes of the database and of its log; the rest is made as needed.
  private static func identities(_ path: String) -> [UInt64] {
    suffixes.prefix(2).map { suffix in
      var status = Glibc.stat()
      return unsafe stat(path + suffix, &status) == 0 ? UInt64(status.st_ino) : 0
    }
  }
}

enum UnixTime {
  static func milliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
