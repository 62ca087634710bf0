import GRDB

extension JournalError {
  /// Runs `body` and turns what SQLite throws into the journal's words.
  ///
  /// - Parameters:
  ///   - action: What was tried, as the beginning of a sentence: "appending a batch".
  ///   - path: The journal's file.
  static func mapping<Value>(
    _ action: String, path: String, _ body: () throws -> Value
  ) throws(JournalError) -> Value {
    do {
      return try body()
    } catch let error as JournalError {
      throw error
    } catch let error as DatabaseError {
      throw JournalError(error, action: action, path: path)
    } catch {
      throw JournalError(.inputOutput, "\(action) failed", at: Place(file: path), cause: String(describing: error))
    }
  }

  init(_ error: DatabaseError, action: String, path: String) {
    let (code, advice): (Code, String) =
      switch error.extendedResultCode.primaryResultCode {
      case .SQLITE_FULL:
        (.noSpace, "\(action) failed: the disk, or the size the journal may have, is full; nothing was written")
      case .SQLITE_CORRUPT:
        (
          .corrupt,
          "\(action) failed: the file's pages are damaged; restore the journal from a backup, or salvage what can be "
            + "read with sqlite3's .recover command"
        )
      case .SQLITE_NOTADB:
        (.notAJournal, "\(action) failed: the file is not an SQLite database")
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        (.inUse, "\(action) failed: another program keeps the file locked")
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
        (.permissionDenied, "\(action) failed: the file may not be opened or written")
      case .SQLITE_TOOBIG:
        (.tooLarge, "\(action) failed: the payload is larger than SQLite holds")
      default:
        (.inputOutput, "\(action) failed")
      }
    let number = error.extendedResultCode.rawValue
    self.init(
      code, advice, at: Place(file: path), cause: "SQLite \(number): \(error.message ?? String(describing: error))")
  }
}
