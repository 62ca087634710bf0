import GRDB
import HearthJournal
import HearthSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension JournalError {
  /// Runs `body` and translates SQLite's errors into those of a journal.
  ///
  /// It must wrap the calls of SQLite directly: when a connection is closed in between, the reason of a failed read is
  /// lost.
  ///
  /// - Parameters:
  /// - action: The attempted action, as the beginning of a sentence: "appending a batch".
  /// - path: The journal's file.
  static func mapping<Value>(
    _ action: String, path: String, _ body: () throws -> Value
  ) throws(JournalError) -> Value {
    do {
      // The reason of a failed read: see `isUnread(_:)`.
      errno = 0
      return try body()
    } catch let error as JournalError {
      throw error
    } catch let error as DatabaseError {
      throw JournalError(error, action: action, path: path)
    } catch {
      throw JournalError(.inputOutput, "\(action) failed", at: Place(file: path), cause: String(describing: error))
    }
  }

  /// Runs a transaction, and distinguishes a write without space from a failed one.
  ///
  /// SQLite has an error code only for a full disk; it reports an exhausted quota and a file size limit like any other
  /// failed write. In all three cases it is certain that nothing was committed: the frame that would end the commit is
  /// written last, so it was not written.
  static func reportingFullDisk(_ action: String, path: String, _ transaction: () throws -> Void) throws {
    do {
      // SQLite runs on this thread, so `errno` still has the reason of a failed write.
      errno = 0
      try transaction()
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_WRITE {
      guard FileSystemSpace.isUsedUp(errno) else { throw error }
      throw JournalError(.noSpace, action: action, error, path: path)
    }
  }

  private init(_ code: Code, action: String, _ error: DatabaseError, path: String) {
    let number = error.extendedResultCode.rawValue
    self.init(
      code, Self.advice(code, action), at: Place(file: path),
      cause: "SQLite \(number): \(error.message ?? String(describing: error))")
  }

  /// Returns true when an error number means that a file could not be read. SQLite then reports damage, but the next
  /// attempt may succeed. SQLite runs on this thread, so `errno` has the reason of a failed read.
  private static func isUnread(_ number: CInt) -> Bool { number == EIO || number == ENXIO || number == ERANGE }

  /// Returns true when a transaction that failed with a code is certainly rolled back: when the transaction is
  /// repeated, SQLite reads, writes and syncs everything again. This is not certain after failed syncs and unknown
  /// codes.
  private static func isRolledBack(_ code: ResultCode) -> Bool {
    switch code {
    case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_WRITE: true
    default: false
    }
  }

  init(_ error: DatabaseError, action: String, path: String) {
    let code: Code =
      switch error.extendedResultCode.primaryResultCode {
      case .SQLITE_FULL: .noSpace
      case .SQLITE_IOERR: Self.isRolledBack(error.extendedResultCode) ? .diskFault : .inputOutput
      case .SQLITE_MISUSE: .closed
      case .SQLITE_CORRUPT: Self.isUnread(errno) ? .diskFault : .corrupt
      case .SQLITE_NOTADB: .notAJournal
      case .SQLITE_BUSY, .SQLITE_LOCKED: .inUse
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: .permissionDenied
      case .SQLITE_TOOBIG: .tooLarge
      default: .inputOutput
      }
    self.init(code, action: action, error, path: path)
  }

  private static func advice(_ code: Code, _ action: String) -> String {
    switch code {
    case .noSpace: "\(action) failed: the disk is full, or the journal has reached its size limit; nothing was written"
    case .corrupt:
      "\(action) failed: the file's pages are damaged; restore the journal from a backup, or salvage the readable "
        + "part with sqlite3's .recover command"
    case .notAJournal: "\(action) failed: the file is not an SQLite database"
    case .inUse: "\(action) failed: another program has locked the file"
    case .permissionDenied: "\(action) failed: no permission to open or write the file"
    case .tooLarge: "\(action) failed: the payload exceeds SQLite's limit"
    case .inputOutput: "\(action) failed: the disk or its file system reported an error"
    case .diskFault: "\(action) failed: the disk or its file system refused to read or write"
    case .closed: "\(action) failed: the journal is closed, or is being reopened"
    default: "\(action) failed"
    }
  }
}

extension Configuration {
  /// Makes a connection report at once why its first read failed: GRDB then closes the connection, which overwrites
  /// `errno`.
  mutating func reportFirstReadError(_ action: String, path: String) {
    prepareDatabase { database in
      try JournalError.mapping(action, path: path) {
        _ = try Row.fetchOne(database, sql: "SELECT 1 FROM sqlite_master LIMIT 1")
      }
    }
  }
}
