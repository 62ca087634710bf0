import GRDB
import HearthJournal

/// The salvage of a damaged journal. The salvageable part begins at the intact snapshot, or at the first batch, from
/// which the log can be followed furthest, and ends at the first damage after it.
///
/// Holds the journal's lock as a server does, so that no server can open it meanwhile. The examination changes nothing.
package final class JournalSalvage: JournalRepair {
  /// The path of the database file.
  package let path: String
  private let lock: OwnerLock
  private let checkpoints: any CheckpointReader

  /// Takes the journal's lock.
  ///
  /// - Parameter checkpoints: The reader of the states that checkpoints name.
  /// - Throws: `.inUse` while the journal is open elsewhere; `.permissionDenied`, `.inputOutput`.
  package init(path: String, _ checkpoints: any CheckpointReader) throws(JournalError) {
    lock = try OwnerLock(journalPath: path)
    (self.path, self.checkpoints) = (path, checkpoints)
  }

  /// The folder with the pages of checkpoints.
  var pageFolder: String {
    let name = path.hasSuffix(SQLiteJournals.suffix) ? String(path.dropLast(SQLiteJournals.suffix.count)) : path
    return name + SQLiteJournals.pagesSuffix
  }

  /// Examines the whole journal. Content that the disk fails to read counts as damage.
  package func examine() -> SalvageReport {
    var report = SalvageReport()
    var logFailure: JournalError?
    do throws(JournalError) {
      let log = try WriteAheadLog(databasePath: path)
      if let offset = log.breakOffset, log.lostAcknowledgedCommits {
        report.damages.append(
          .init(
            place: .init(file: path + "-wal", byteOffset: offset),
            finding: "SQLite's log is damaged: \(log.commitCount) commits before that are readable, at least "
              + "\(log.commitsAfterBreak - 1) after it are not"))
      }
    } catch { logFailure = error }
    if let logFailure { report.note(logFailure) }
    do throws(JournalError) {
      try JournalError.mapping("inspecting the journal", path: path) {
        let queue = try connection(path)
        defer { try? queue.close() }
        try queue.read { try examine($0, &report) }
      }
    } catch {
      report.note(error)
      report.isLost = true
    }
    return report
  }

  private func connection(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "hearth.journal.salvage"
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  // MARK: Examination

  /// Reads the pages of a checkpoint, and returns the number of parts that cannot be read.
  private func unreadableCount(of base: SnapshotInfo?, _ database: Database, _ report: inout SalvageReport) -> Int {
    guard let base, base.isCheckpoint,
      let checkpoint = try? CheckpointRows(database, path: path).checkpoint(base)
    else { return 0 }
    let (damages, count) = checkpoints.examine(checkpoint, in: pageFolder)
    report.damages += damages
    if count > 0 { report.hasUnreadablePages = true }
    if count > damages.count {
      report.damages.append(
        .init(
          place: .init(file: pageFolder, position: base.position),
          finding: "\(count - damages.count) more parts of the data cannot be read"))
    }
    return count
  }

  private func examine(_ database: Database, _ report: inout SalvageReport) throws {
    guard try SQLiteSchema.requireKnown(database, path: path) else { return noteMark(&report, stored: 0) }
    checkPages(database, &report)
    report.epoch = (try? Int64.fetchOne(database, sql: "SELECT epoch FROM ownership")) ?? 0
    var best: (base: SnapshotInfo?, reader: SalvageReader, unreadableCount: Int)?
    let bases = bases(database, &report)
    for base in bases {
      var reader = SalvageReader(base, path: path)
      reader.run(database) { _ in }
      // Among starts that lead equally far, one without unreadable pages is better.
      let (position, known) = (reader.chain.position, best?.reader.chain.position ?? -1)
      if known > position || known == position && best?.unreadableCount == 0 { continue }
      let unreadableCount = unreadableCount(of: base, database, &report)
      if known == position, unreadableCount > 0 { continue }
      best = (base, reader, unreadableCount)
      // The log was followed to its end, so no other start can lead further.
      if reader.finding == nil, unreadableCount == 0 { break }
    }
    guard let best else { return }
    report.unreadableCount = best.unreadableCount
    if let finding = best.reader.finding { report.damages.append(finding) }
    if let base = best.base { checkPast(database, from: bases, before: base.position, &report) }
    report.base = best.base
    report.headPosition = best.reader.chain.position
    report.epoch = max(report.epoch, best.reader.chain.epoch)
    report.lastBatch = best.reader.last
    if let last = lastRow(database), last.last > report.headPosition { report.lastLostBatch = last.batch }
    report.eventCount = Self.eventCount(database)
    noteMark(&report, stored: report.lastLostBatch?.lastPosition ?? report.headPosition)
  }

  /// Records the damage that SQLite finds in the file's pages.
  private func checkPages(_ database: Database, _ report: inout SalvageReport) {
    let pageBytes = (try? Int.fetchOne(database, sql: "PRAGMA page_size")) ?? 4_096
    do {
      for line in try String.fetchAll(database, sql: "PRAGMA integrity_check(10)") where line != "ok" {
        for part in line.split(separator: "\n") where !part.hasPrefix("***") {
          let page = part.firstMatch(of: #/[Pp]age (\d+)/#).flatMap { Int($0.output.1) }
          let offset = page.map { ($0 - 1).multipliedReportingOverflow(by: pageBytes) }
          report.damages.append(
            .init(
              place: .init(file: path, byteOffset: offset.flatMap { $0.overflow ? nil : $0.partialValue }),
              finding: "SQLite finds: \(part)"))
        }
      }
    } catch {
      report.damages.append(.init(place: .init(file: path), finding: "SQLite cannot check all pages: \(error)"))
    }
  }

  /// Returns the possible starts of a state, the newest first: intact snapshots, and nil for the beginning of the log.
  private func bases(_ database: Database, _ report: inout SalvageReport) -> [SnapshotInfo?] {
    var bases: [SnapshotInfo?] = []
    var identifiers: [Int64] = []
    do {
      identifiers = try Int64.fetchAll(
        database, sql: "SELECT id FROM snapshot WHERE is_complete = 1 ORDER BY position DESC, id DESC")
    } catch {
      report.damages.append(.init(place: .init(file: path), finding: "the list of snapshots cannot be read: \(error)"))
    }
    for identifier in identifiers {
      do {
        let row = try Row.fetchOne(
          database, sql: "SELECT id, position, running_hash, chunk_count, size_bytes FROM snapshot WHERE id = ?",
          arguments: [identifier])
        guard let snapshot = row.flatMap(SnapshotInfo.init) else {
          throw JournalError.damagedSnapshot("its description cannot be read", path: path, position: nil)
        }
        if snapshot.isCheckpoint { _ = try CheckpointRows(database, path: path).checkpoint(snapshot) }
        for index in 0..<snapshot.chunkCount {
          _ = try SnapshotRows(database: database, path: path).chunk(index, of: snapshot)
        }
        bases.append(snapshot)
      } catch let error as JournalError {
        report.note(error)
      } catch {
        report.damages.append(
          .init(place: .init(file: path), finding: "a snapshot cannot be read (row \(identifier)): \(error)"))
      }
    }
    return bases + [nil]
  }

  /// Verifies the history: the log from each older start of a state to the next one.
  ///
  /// - Parameter bases: The possible starts of a state, the newest first.
  private func checkPast(
    _ database: Database, from bases: [SnapshotInfo?], before position: Int64, _ report: inout SalvageReport
  ) {
    var end = position
    for base in bases where (base?.position ?? 0) < end {
      // The log before the oldest snapshot was pruned, or will be.
      if base == nil, !hasFirstBatch(database) { break }
      var reader = SalvageReader(base, path: path)
      reader.run(database, through: end) { _ in }
      if let damage = reader.finding {
        report.lostPast.insert(SalvageReport.LostPast(damage: damage, lastPosition: end), at: 0)
      }
      end = base?.position ?? 0
    }
  }

  private func hasFirstBatch(_ database: Database) -> Bool {
    (try? Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM batch WHERE first_position = 1)")) == true
  }

  /// Returns the log's last readable row.
  private func lastRow(_ database: Database) -> SQLiteBatchRow? {
    let row = try? Row.fetchOne(
      database, sql: "SELECT \(SQLiteBatchRow.columns) FROM batch ORDER BY first_position DESC LIMIT 1")
    return row.flatMap { $0 }.flatMap(SQLiteBatchRow.init)
  }

  private static func eventCount(_ database: Database) -> Int? {
    guard let hasOutbox = try? database.tableExists("outbox") else { return nil }
    guard hasOutbox else { return 0 }
    return try? Int.fetchOne(
      database, sql: "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM dead_letter)")
  }

  /// Compares the end of the log with the acknowledged position in the mark file.
  private func noteMark(_ report: inout SalvageReport, stored: Int64) {
    var last = stored
    if case .found(let slot)? = try? HighWaterMark.read(journalPath: path), slot.position > stored {
      last = slot.position
      report.damages.append(
        .init(
          place: .init(file: path, position: stored),
          finding: "the log ends at position \(stored), but commits up to position \(last) had been "
            + "acknowledged"))
    }
    if last > report.headPosition { report.lostPositions = report.headPosition + 1...last }
  }

  // MARK: Saving

  /// Writes a journal with the salvageable part, next to the damaged one.
  ///
  /// - Parameter report: The result of ``examine()``.
  /// - Returns: The path of its file, durable and opened once.
  /// - Throws: `JournalError`, including ``JournalError/Code/noSpace``, after which nothing has changed.
  func save(_ report: SalvageReport) throws(JournalError) -> String {
    let target = path + ".repaired"
    for end in Self.suffixes { PosixFile.remove(target + end) }
    try JournalError.mapping("saving the intact part", path: path) {
      let queue = try connection(path)
      defer { try? queue.close() }
      try queue.read { database in
        let restoration = try SQLiteRestoration(path: target)
        if let base = report.base {
          try restoration.begin(at: base.position, runningHash: base.runningHash)
          if base.isCheckpoint {
            let checkpoint = try CheckpointRows(database, path: path).checkpoint(base)
            try checkpoints.forEachChunk(of: checkpoint, in: pageFolder, skipsUnreadable: true) {
              try restoration.append(chunk: $0)
            }
          }
          for index in 0..<base.chunkCount {
            try restoration.append(chunk: SnapshotRows(database: database, path: path).chunk(index, of: base))
          }
        }
        var reader = SalvageReader(report.base, path: path)
        var end = report.base?.runningHash ?? .empty
        try reader.run(database) { row in
          guard row.last <= report.headPosition else { return }
          // After a rewritten batch, the seam has the hash that the next batch continues.
          end = end.appending(row.batch, epoch: row.epoch)
          try restoration.append(JournalLink(batch: row.batch, epoch: row.epoch, runningHash: end))
        }
        _ = try restoration.complete(epoch: report.epoch)
      }
    }
    return target
  }

  /// The suffixes of a journal's files after its path.
  static let suffixes = ["", "-wal", "-shm", ".mark", ".lock"]
}

extension SalvageReport {
  fileprivate mutating func note(_ error: JournalError) {
    damages.append(
      .init(place: error.place, finding: error.message + (error.cause.map { " (\($0))" } ?? "")))
  }
}
