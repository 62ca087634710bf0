import CSQLite

/// A failure of a store on the disk.
struct DiskStoreError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure that callers distinguish.
  enum Code: String, Sendable {
    /// The disk, a quota or the store's own limit leaves no space; nothing of the change was stored.
    case full
    /// The file is damaged or belongs to another program. It is renamed, and the next start begins with an empty file.
    case damaged
    /// Another process, or another client of this one, has it open or has taken it over.
    case inUse = "in_use"
    /// The file or its folder cannot be opened or written.
    case notPermitted = "not_permitted"
    /// Another failure that the system reports.
    case inputOutput = "input_output"
  }

  /// The kind of the failure.
  var code: Code
  /// The text for the developer: the attempted operation, the path and the remedy.
  var description: String

  init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

  /// Translates an error of SQLite.
  init(_ error: SQLiteError, path: String) {
    let cause = "SQLite \(error.code): \(error.message)"
    switch error.primaryCode {
    case SQLITE_FULL: self.init(.full, "no room on the disk for \(path); nothing of this change was kept (\(cause))")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      self.init(.damaged, "\(path) is damaged or no store of this client (\(cause))")
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(.inUse, "\(path) is open in another process; give each process a folder of its own (\(cause))")
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
      self.init(.notPermitted, "\(path) cannot be opened or written; look at the folder's owner and mode (\(cause))")
    default: self.init(.inputOutput, "\(path) cannot be read or written (\(cause))")
    }
  }
}
