import Gateway

/// The stored pages of one open file. Used by the store's thread only.
///
/// One table: a page's key is a digest, its head is written anew when the page lives on, its content is what the upstream
/// sent (`StoredPage+Coding.swift` in Gateway). What the file takes is known to the byte, from SQLite's own count of its
/// pages: no sum has to be kept in step.
final class PageFile {
  /// Expired pages that are deleted at once, and the oldest when there is no room.
  private static let batch: Int64 = 32

  private let database: Database
  private let limit: Int64
  private let findRow: Statement
  private let updateRow: Statement
  private let insertRow: Statement
  private let renewRow: Statement
  private let deleteRow: Statement
  private let deleteExpired: Statement
  private let deleteOldest: Statement
  private let countPages: Statement
  private let countFree: Statement
  private let pageSize: Int64
  /// How many pages are stored.
  private(set) var count: Int
  /// Whether nothing can be written.
  let isReadOnly: Bool

  /// - Parameters:
  ///   - database: with the schema in place.
  ///   - limit: in bytes.
  init(_ database: Database, limit: Int) throws(SQLiteFailure) {
    self.database = database
    self.limit = Int64(limit)
    isReadOnly = database.isReadOnly
    pageSize = try database.number("PRAGMA page_size")
    count = Int(try database.number("SELECT count(*) FROM page"))
    findRow = try database.prepare("SELECT head, content FROM page WHERE key = ?1")
    updateRow = try database.prepare(
      "UPDATE page SET head = ?2, content = ?3, stored = ?4, keep = ?5 WHERE key = ?1")
    insertRow = try database.prepare(
      "INSERT INTO page (key, head, content, stored, keep, list, series) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    renewRow = try database.prepare("UPDATE page SET head = ?2, stored = ?3, keep = ?4 WHERE key = ?1")
    deleteRow = try database.prepare("DELETE FROM page WHERE key = ?1")
    deleteExpired = try database.prepare(
      "DELETE FROM page WHERE id IN (SELECT id FROM page WHERE keep <= ?1 ORDER BY keep LIMIT ?2)")
    deleteOldest = try database.prepare(
      "DELETE FROM page WHERE id IN (SELECT id FROM page ORDER BY stored LIMIT ?1)")
    countPages = try database.prepare("PRAGMA page_count")
    countFree = try database.prepare("PRAGMA freelist_count")
  }

  /// The bytes that stored pages take in the file.
  func byteCount() throws(SQLiteFailure) -> Int64 {
    try (value(of: countPages) - value(of: countFree)) * pageSize
  }

  private func value(of statement: Statement) throws(SQLiteFailure) -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  // MARK: Pages

  /// - Parameter now: Unix milliseconds.
  /// - Returns: nil where there is none, or none any more. What is damaged is deleted.
  func find(_ key: StoreKey, now: Int64) throws(SQLiteFailure) -> StoredPage? {
    try findRow.bind(1, key.page)
    guard try findRow.step() else {
      findRow.reset()
      return nil
    }
    let page = unsafe findRow.withBytes(0) { head in
      unsafe findRow.withBytes(1) { content in unsafe StoredPage(head: head, content: content) }
    }
    findRow.reset()
    guard let page else {
      if !isReadOnly { try delete(key) }
      return nil
    }
    return page.lifetime.keepUntil > now ? page : nil
  }

  /// Within ``write(_:)``.
  ///
  /// - Returns: how many pages went to make room.
  func put(_ page: StoredPage, as key: StoreKey, now: Int64) throws(SQLiteFailure) -> Int {
    let (head, content) = (page.encodedHead, page.encodedContent())
    try bind(updateRow, key, head, content, now, page)
    try updateRow.run()
    if database.changedRows == 0 {
      try bind(insertRow, key, head, content, now, page)
      try insertRow.bind(6, key.list)
      try insertRow.bind(7, key.series)
      try insertRow.run()
      count += 1
    }
    return try makeRoom(now: now)
  }

  private func bind(
    _ statement: Statement, _ key: StoreKey, _ head: [UInt8], _ content: [UInt8], _ now: Int64,
    _ page: StoredPage
  ) throws(SQLiteFailure) {
    try statement.bind(1, key.page)
    try statement.bind(2, head)
    try statement.bind(3, content)
    try statement.bind(4, now)
    try statement.bind(5, page.lifetime.keepUntil)
  }

  func renew(
    _ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime, now: Int64
  ) throws(SQLiteFailure) {
    try renewRow.bind(1, key.page)
    try renewRow.bind(2, StoredPage.encodeHead(edition: edition, lifetime))
    try renewRow.bind(3, now)
    try renewRow.bind(4, lifetime.keepUntil)
    try renewRow.run()
  }

  private func delete(_ key: StoreKey) throws(SQLiteFailure) {
    try deleteRow.bind(1, key.page)
    try deleteRow.run()
    count -= database.changedRows
  }

  /// - Returns: how many pages were deleted.
  func purge(_ extent: StoreExtent) throws(SQLiteFailure) -> Int {
    let statement: Statement
    switch extent {
    case .all: statement = try database.prepare("DELETE FROM page")
    case .list(let list):
      statement = try database.prepare("DELETE FROM page WHERE list = ?1")
      try statement.bind(1, list)
    case .series(let list, let series):
      statement = try database.prepare("DELETE FROM page WHERE list = ?1 AND series = ?2")
      try statement.bind(1, list)
      try statement.bind(2, series)
    }
    try statement.run()
    let purged = database.changedRows
    count -= purged
    return purged
  }

  // MARK: Room

  /// - Returns: how many pages went.
  func makeRoom(now: Int64) throws(SQLiteFailure) -> Int {
    var evicted = 0
    while count > 0, try byteCount() > limit {
      let expired = try remove(deleteExpired, now)
      evicted += expired == 0 ? try remove(deleteOldest, nil) : expired
    }
    return evicted
  }

  /// Deletes some of those whose time is over.
  func removeExpired(now: Int64) throws(SQLiteFailure) { _ = try remove(deleteExpired, now) }

  /// Deletes the oldest, so that others fit into a file that cannot grow.
  func removeOldest() throws(SQLiteFailure) -> Int { try remove(deleteOldest, nil) }

  private func remove(_ statement: Statement, _ now: Int64?) throws(SQLiteFailure) -> Int {
    if let now { try statement.bind(1, now) }
    try statement.bind(now == nil ? 1 : 2, Self.batch)
    try statement.run()
    let removed = database.changedRows
    count -= removed
    return removed
  }

  // MARK: Writing

  /// All that `work` writes, or nothing of it.
  func write<R>(_ work: () throws(SQLiteFailure) -> R) throws(SQLiteFailure) -> R {
    let before = count
    try database.run("BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      let result = try work()
      try database.run("COMMIT")
      return result
    } catch {
      // A full disk has rolled it back by itself.
      do throws(SQLiteFailure) { try database.run("ROLLBACK") } catch {}
      count = before
      throw error
    }
  }
}
