import CSQLite

/// The owner of a `sqlite3 *`. Used by one thread at a time.
@safe
final class Database {
  private let handle: OpaquePointer

  private init(handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe sqlite3_close_v2(handle) }

  enum Access {
    /// The file is made where there is none.
    case full
    /// As the file lies there, whoever else writes to it: what is only in its log is not seen.
    case immutable
  }

  static func open(_ path: String, _ access: Access) throws(SQLiteFailure) -> Database {
    var handle: OpaquePointer?
    let flags: Int32
    let name: String
    switch access {
    case .full:
      flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      name = path
    case .immutable:
      flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:\(escaped(path))?immutable=1"
    }
    let code = unsafe sqlite3_open_v2(
      name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle = unsafe handle else { throw SQLiteFailure(.other, "out of memory") }
    let database = unsafe Database(handle: handle)
    guard code == SQLITE_OK else { throw database.failure(code) }
    // Another process may be writing. This thread has time; the loops do not wait for it.
    unsafe sqlite3_busy_timeout(handle, 1_000)
    return database
  }

  /// A path as a URI has it (sqlite.org/uri.html).
  private static func escaped(_ path: String) -> String {
    var result = ""
    for character in path {
      switch character {
      case "%": result += "%25"
      case "?": result += "%3f"
      case "#": result += "%23"
      default: result.append(character)
      }
    }
    return result
  }

  /// Runs statements that have no result.
  func run(_ sql: String) throws(SQLiteFailure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  func prepare(_ sql: String) throws(SQLiteFailure) -> Statement {
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw failure(code) }
    return unsafe Statement(statement, of: self)
  }

  /// The integer that a statement results in; 0 where it has no row.
  func number(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") != 0 }

  /// Rows that the last statement changed.
  var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }

  func failure(_ code: Int32) -> SQLiteFailure {
    let extended = unsafe sqlite3_extended_errcode(handle)
    return unsafe SQLiteFailure(
      code: extended & 0xFF == code & 0xFF ? extended : code, String(cString: sqlite3_errmsg(handle)))
  }
}
