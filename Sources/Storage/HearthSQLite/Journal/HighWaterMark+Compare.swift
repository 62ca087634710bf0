import GRDB
import HearthJournal

extension HighWaterMark {
  /// Compares the log's end with the acknowledged one, before anything is opened for writing, so that a refusal changes
  /// nothing.
  ///
  /// - Returns: The missing part, when `mode` allows opening the journal without it; or a report that completeness
  ///   cannot be determined; nil when the log is complete.
  /// - Throws: `.corrupt` when commits are missing and `mode` does not allow it.
  static func compare(
    _ reading: Reading, path: String, mode: JournalRecovery.Mode
  ) throws(JournalError) -> JournalRecovery.Damage? {
    switch reading {
    case .absent: return nil
    case .unreadable:
      return JournalRecovery.Damage(
        place: JournalError.Place(file: Self.path(ofJournal: path)),
        finding:
          "the high-water mark cannot be read, so a missing end of the log cannot be detected; the mark is "
          + "created again")
    case .found(let slot):
      let last = try storedTail(path)
      guard last < slot.position else { return nil }
      let place = JournalError.Place(file: path, position: last)
      var finding =
        "the log ends at position \(last), but commits up to position \(slot.position) had been acknowledged"
      guard mode == .truncateAtFirstDamage else {
        throw JournalError(
          .corrupt,
          finding + ": \(path)-wal was cut off or damaged after a crash, or \(path) was replaced by an older copy; "
            + JournalRecovery.remedy(path), at: place)
      }
      if let size = try PosixFile.sizeBytes(of: path + "-wal"), size > 0 {
        finding += "; " + (try WriteAheadLog.setAside(databasePath: path))
      }
      return JournalRecovery.Damage(place: place, finding: finding, lostPositions: last + 1...slot.position)
    }
  }

  /// Returns the last position that SQLite finds; 0 when the file is missing. Opens the file for reading only, so that
  /// its log stays unchanged.
  private static func storedTail(_ path: String) throws(JournalError) -> Int64 {
    guard let size = try PosixFile.sizeBytes(of: path), size > 0 else { return 0 }
    let action = "reading the log's end"
    return try JournalError.mapping(action, path: path) {
      var configuration = Configuration()
      configuration.label = "hearth.journal.end"
      configuration.readonly = true
      configuration.busyMode = .timeout(5)
      configuration.reportFirstReadError(action, path: path)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      return try queue.read { database in
        try JournalError.mapping(action, path: path) {
          guard try database.tableExists("batch"), try database.tableExists("snapshot") else { return 0 }
          return try Int64.fetchOne(database, sql: SQLiteSchema.tail) ?? 0
        }
      }
    }
  }
}
