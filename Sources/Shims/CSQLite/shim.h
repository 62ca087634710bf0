#ifndef HEARTH_CSQLITE_SHIM_H
#define HEARTH_CSQLITE_SHIM_H

#include <sqlite3.h>

// Keeps the write-ahead log when the connection is closed. SQLite's own function is variadic, which Swift cannot call.
static inline int hearth_sqlite_keep_log(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Binds a copy of the bytes. SQLite's own constant for a copy is a cast of -1 to a function, which Swift cannot import.
static inline int hearth_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  // A null pointer would bind NULL in place of an empty blob.
  if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// An extended result code, a macro that Swift does not import.
static const int hearth_sqlite_ioerr_write = SQLITE_IOERR_WRITE;

#endif
