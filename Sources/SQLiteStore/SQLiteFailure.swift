import CSQLite

/// Something that SQLite refused.
struct SQLiteFailure: Error, Sendable {
  /// What is to be done about it.
  enum Kind: Sendable {
    /// The file is damaged, or is none of SQLite's: it is set aside.
    case corrupt
    /// There is no room for more.
    case full
    /// It cannot be written to.
    case readOnly
    /// It belongs to another program: it is left alone.
    case foreign
    /// Nothing has happened: it is not open, and not to be opened yet.
    case closed
    /// Anything else: it may work when it is opened again.
    case other
  }

  let kind: Kind
  let detail: String

  init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  /// - Parameter code: an extended result code (sqlite.org/rescode.html).
  init(code: Int32, _ detail: String) {
    kind =
      switch code & 0xFF {
      case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
      case SQLITE_FULL: .full
      case SQLITE_READONLY: .readOnly
      default: .other
      }
    self.detail = "\(detail) (\(code))"
  }
}
