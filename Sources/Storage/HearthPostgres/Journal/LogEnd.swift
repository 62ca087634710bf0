import HearthJournal

/// The log's last row, and the owner's epoch.
struct LogEnd {
  var firstPosition: Int64
  var lastPosition: Int64
  var rowEpoch: Int64
  var runningHash: RunningHash
  var epoch: Int64

  var isClaim: Bool { lastPosition < firstPosition }

  /// The end as the head of the owner's log.
  var head: JournalHead { JournalHead(epoch: epoch, position: lastPosition, runningHash: runningHash) }
}

/// The last row of the log, to which the next append refers.
struct LogTail: Sendable {
  /// The key of the log's last row.
  var firstPosition: Int64
  /// True when the row is the owner's claim, which its first batch replaces.
  var isClaim: Bool
}

extension JournalError {
  /// The error for a loss of acknowledged commits in PostgreSQL.
  static func lost(_ head: JournalHead, _ end: LogEnd?, file: String) -> JournalError {
    JournalError(
      .corrupt,
      "the log ends at position \(end?.lastPosition ?? 0) of epoch \(end?.epoch ?? 0), but commits up to "
        + "position \(head.position) of epoch \(head.epoch) were acknowledged: PostgreSQL lost them, as in a failover "
        + "to a standby that was behind",
      at: Place(file: file, position: end?.lastPosition))
  }
}
