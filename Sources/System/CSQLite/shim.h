// SQLite, and what of it is a macro with a cast that Swift does not see.
#pragma once
#include <sqlite3.h>

// Binds bytes, which SQLite copies.
static inline int listway_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  // A null pointer would be NULL rather than an empty blob.
  return sqlite3_bind_blob(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
