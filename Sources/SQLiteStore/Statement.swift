import CSQLite

/// The owner of a `sqlite3_stmt *`, prepared once and run often: bind, step until there is no row, reset.
@safe
final class Statement {
  private let handle: OpaquePointer
  /// A statement must not outlive its database.
  private let database: Database

  init(_ handle: OpaquePointer, of database: Database) {
    unsafe self.handle = handle
    self.database = database
  }

  deinit { unsafe sqlite3_finalize(handle) }

  // MARK: Parameters, counted from 1

  func bind(_ index: Int32, _ bytes: [UInt8]) throws(SQLiteFailure) {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe listway_sqlite_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
    }
    if code != SQLITE_OK { throw database.failure(code) }
  }

  func bind(_ index: Int32, _ text: String) throws(SQLiteFailure) {
    // As a blob: compared by its bytes, whatever they are.
    try bind(index, Array(text.utf8))
  }

  func bind(_ index: Int32, _ number: Int64) throws(SQLiteFailure) {
    let code = unsafe sqlite3_bind_int64(handle, index, number)
    if code != SQLITE_OK { throw database.failure(code) }
  }

  // MARK: Running

  /// - Returns: whether there is a row to be read.
  func step() throws(SQLiteFailure) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let failure = database.failure(code)
      reset()
      throw failure
    }
  }

  /// Runs it to its end, and makes it ready for the next time.
  func run() throws(SQLiteFailure) {
    while try step() {}
    reset()
  }

  func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  // MARK: The row, its columns counted from 0

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// Valid until the next step.
  func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
