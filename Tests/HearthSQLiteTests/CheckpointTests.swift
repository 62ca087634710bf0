import Foundation
import GRDB
import HearthJournal
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthSQLite

/// Tests of checkpoints in the file: its format, the conversion from snapshots, damage, and refused operations.
@Suite struct CheckpointTests {
  /// Returns a closed journal of ten batches after a series of checkpoints and snapshots.
  private func folder(
    snapshots: [Int64] = [], checkpoints: [Int64] = [], prunes: Bool = false
  ) throws -> JournalFolder {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(10, after: try journal.acquire())
    for position in snapshots { try addSnapshot(journal, at: position) }
    for position in checkpoints { _ = try journal.completeCheckpoint(at: position, payload: payload(position)) }
    if prunes { try journal.prune() }
    try journal.close()
    return folder
  }

  private func addSnapshot(_ journal: SQLiteJournal, at position: Int64) throws {
    let ticket = try journal.beginSnapshot(at: position)
    for _ in 0..<20 { try journal.appendSnapshotChunk([UInt8](repeating: 7, count: 5_000), to: ticket) }
    _ = try journal.completeSnapshot(ticket)
  }

  private func payload(_ position: Int64) -> [UInt8] { [UInt8](repeating: UInt8(position), count: 300) }

  private func open(
    _ folder: JournalFolder, _ mode: JournalRecovery.Mode = .truncateTornTail
  ) throws -> SQLiteJournal {
    try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(recovery: mode))
  }

  private func change(_ folder: JournalFolder, _ sql: String) throws {
    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func version(_ folder: JournalFolder) throws -> Int64? { try JournalHeader(path: folder.file()).format }

  // MARK: Format

  @Test("a file keeps its format until the first checkpoint, and has the newer one after it", arguments: [1, 2, 3])
  func format(_ version: Int64) throws {
    let folder = try JournalFolder()
    var journal = try open(folder)
    var head = try journal.acquire()
    let entries = version == 2 ? [OutboxTests.entry(1)] : []
    head = try journal.append(.following(head), with: entries, after: head)
    head = try journal.appendBatches(3, after: head)
    try addSnapshot(journal, at: 3)
    if version == 3 { try journal.rewrite(through: 2) { _ in BatchRewrite(payload: [1]) } }
    try journal.close()

    journal = try open(folder)
    #expect(try journal.currentCheckpoint() == nil)
    try addSnapshot(journal, at: 4)
    try journal.prune(keepingFrom: 3)
    #expect(throws: JournalError(.positionMismatch, "")) { try journal.completeCheckpoint(at: 2, payload: [1]) }
    try journal.close()
    #expect(try self.version(folder) == version)

    journal = try open(folder)
    let checkpoint = try journal.completeCheckpoint(at: 4, payload: [4])
    try journal.close()
    #expect(try self.version(folder) == 4)
    journal = try open(folder)
    #expect(journal.recovery == JournalRecovery(snapshotPosition: 4, headPosition: 4, batchCount: 0, damages: []))
    #expect(try journal.currentCheckpoint() == checkpoint)
    #expect(try journal.outboxFigures(of: "q").waitingCount == entries.count)
    #expect(try journal.acquire().runningHash == head.runningHash)
    try journal.close()
  }

  @Test("the rows of a converted snapshot are removed by pruning, and the log continues after the checkpoint")
  func conversion() throws {
    let folder = try folder(snapshots: [3, 7], checkpoints: [7], prunes: true)
    let journal = try open(folder)
    #expect(journal.recovery == JournalRecovery(snapshotPosition: 7, headPosition: 10, batchCount: 3, damages: []))
    #expect(try journal.currentCheckpoint()?.payload == payload(7))
    #expect(try journal.allBatches(after: 7).map(\.firstPosition) == [8, 9, 10])
    let counts = try journal.file.pool.read { database in
      try ["snapshot", "snapshot_chunk", "checkpoint"].map {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? -1
      }
    }
    #expect(counts == [1, 0, 1])
    try journal.close()
  }

  @Test("the end of a log without batches is in the rows that every version reads")
  func tail() throws {
    let folder = try folder(checkpoints: [10], prunes: true)
    let journal = try open(folder)
    let position = try journal.file.pool.read { try Int64.fetchOne($0, sql: SQLiteSchema.tail) }
    #expect(try position == 10 && journal.allBatches(after: 10).isEmpty)
    let head = try journal.acquire()
    #expect(try journal.append(.following(head), after: head).position == 11)
    try journal.close()
  }

  // MARK: Damage

  static let damage: [String] = [
    "UPDATE checkpoint SET payload = zeroblob(300) WHERE snapshot_id = (SELECT max(id) FROM snapshot)",
    "UPDATE checkpoint SET payload = x'01' WHERE snapshot_id = (SELECT max(id) FROM snapshot)",
    "UPDATE checkpoint SET checksum = checksum + 1 WHERE snapshot_id = (SELECT max(id) FROM snapshot)",
    "DELETE FROM checkpoint WHERE snapshot_id = (SELECT max(id) FROM snapshot)",
    "UPDATE snapshot SET running_hash = running_hash + 1 WHERE id = (SELECT max(id) FROM snapshot)",
    "UPDATE snapshot SET position = position + 1 WHERE id = (SELECT max(id) FROM snapshot)",
    "UPDATE snapshot SET size_bytes = size_bytes + 1 WHERE id = (SELECT max(id) FROM snapshot)",
  ]

  @Test("a start uses what is before a damaged checkpoint, reports the damage, and removes it", arguments: damage)
  func damaged(_ sql: String) throws {
    let cases: [(snapshots: [Int64], checkpoints: [Int64], start: Int64)] = [
      ([], [4, 8], 4), ([5], [8], 5), ([], [8], 0),
    ]
    for (snapshots, checkpoints, start) in cases {
      let folder = try folder(snapshots: snapshots, checkpoints: checkpoints)
      try change(folder, sql)
      var journal = try open(folder)
      #expect(journal.recovery.snapshotPosition == start && journal.recovery.headPosition == 10)
      #expect(journal.recovery.batchCount == 10 - Int(start))
      let damage = try #require(journal.recovery.damages.first)
      #expect(damage.description.contains("does not match its checksum") && damage.lostPositions == nil)
      #expect(damage.place.file == folder.file() && !damage.isUnfinishedCommit)
      if start == 4 {
        #expect(try journal.currentCheckpoint()?.payload == payload(4))
      } else {
        #expect(try journal.currentCheckpoint() == nil && (journal.currentSnapshot()?.position ?? 0) == start)
      }
      #expect(try journal.allBatches(after: start).count == 10 - Int(start))
      try journal.close()

      journal = try open(folder)
      #expect(journal.recovery.damages.isEmpty && journal.recovery.snapshotPosition == start)
      #expect(try journal.completeCheckpoint(at: 8, payload: [8]).position == 8)
      try journal.close()
    }
  }

  @Test("a journal whose log does not reach back before a damaged checkpoint is refused with the lost positions")
  func lost() throws {
    for (folder, lost) in [
      (try folder(checkpoints: [4, 8], prunes: true), "positions 1 to 8"),
      (try folder(checkpoints: [10], prunes: true), "positions 1 to 10"),
    ] {
      try change(folder, Self.damage[0])
      for mode in [JournalRecovery.Mode.truncateTornTail, .truncateAtFirstDamage, .truncateTornTail] {
        let error = #expect(throws: JournalError.self) { try open(folder, mode) }
        #expect(error?.code == .corrupt && error?.message.contains(lost) == true, "\(String(describing: error))")
      }
    }
    let folder = try folder(checkpoints: [4, 8])
    try change(folder, Self.damage[0] + "; UPDATE batch SET payload = x'00' WHERE first_position = 7")
    let error = #expect(throws: JournalError.self) { try open(folder) }
    #expect(error?.message.contains("positions 7 to 8") == true && error?.cause?.contains("bytes") == true)
  }

  @Test("the log before a damaged checkpoint is read across rewritten batches")
  func damagedAfterRewriting() throws {
    let folder = try JournalFolder()
    var journal = try open(folder)
    let head = try journal.appendBatches(10, after: try journal.acquire())
    for position in [Int64(3), 7] { try addSnapshot(journal, at: position) }
    try journal.rewrite(through: 7) { BatchRewrite(payload: [3, 5, 6].contains($0.firstPosition) ? [9] : nil) }
    _ = try journal.completeCheckpoint(at: 7, payload: [7])
    try journal.file.pool.write { database in
      try database.execute(sql: "DELETE FROM snapshot WHERE chunk_count > 0 AND position = 7")
      try database.execute(sql: "UPDATE checkpoint SET payload = x'00'")
    }
    try journal.close()
    journal = try open(folder)
    #expect(journal.recovery.snapshotPosition == 3 && journal.recovery.batchCount == 7)
    #expect(try journal.acquire().runningHash == head.runningHash)
    try journal.close()
  }

  @Test("damage that appears while a journal is open is reported when the checkpoint is read")
  func damagedLater() throws {
    let folder = try folder(checkpoints: [8])
    let journal = try open(folder)
    try journal.file.pool.write { try $0.execute(sql: Self.damage[0]) }
    let error = #expect(throws: JournalError.self) { try journal.currentCheckpoint() }
    #expect(error?.code == .corrupt && error?.place == JournalError.Place(file: folder.file(), position: 8))
    try journal.close()
  }

  @Test("any damage of a file with checkpoints results in an error, or in a checkpoint that was written")
  func damagedPages() throws {
    var generator = SeededRandom(seed: 12)
    let folder = try folder(snapshots: [2], checkpoints: [4, 8])
    let whole = try folder.bytes("main.journal")
    for round in 0..<60 {
      var bytes = whole
      let start = Int.random(in: 100..<bytes.count, using: &generator)
      for index in start..<min(bytes.count, start + Int.random(in: 1...600, using: &generator)) {
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      try folder.write(bytes, "main.journal")
      try? folder.remove("main.journal-wal")
      do {
        let journal = try open(folder, round % 2 == 0 ? .truncateTornTail : .truncateAtFirstDamage)
        defer { try? journal.close() }
        guard let found = try journal.currentCheckpoint() else { continue }
        #expect([4, 8].contains(found.position) && found.payload == payload(found.position), "round \(round)")
      } catch let error as JournalError {
        #expect(
          [.corrupt, .notAJournal, .unsupportedFormat, .inputOutput].contains(error.code), "round \(round): \(error)")
      }
    }
  }

  // MARK: Copies and repairs

  @Test("a view of a checkpoint has its payload, and refuses to read the state with a sentence that names the file")
  func view() throws {
    let folder = try folder(snapshots: [2], checkpoints: [5])
    let journal = try open(folder)
    let view = try SQLiteJournalView(path: folder.file())
    #expect(view.checkpoint?.payload == payload(5) && view.snapshot?.position == 5 && view.head.position == 10)
    let error = #expect(throws: JournalError.self) { try view.forEachChunk { _ in } }
    #expect(
      error?.description
        == "journal: unsupported: copying the journal is not possible, because the database keeps its data in page "
        + "files; use hearth db export while the server runs [file \(folder.file())]")
    view.close()
    try journal.close()
  }

  /// Repairs a journal with three page files, and returns the report.
  private func repair(_ folder: JournalFolder, _ checkpoints: StubCheckpoints) throws -> SalvageReport {
    for number in 0..<3 { try folder.write([UInt8(number)], "main.journal.pages/0000000\(number).seg") }
    let salvage = try JournalSalvage(path: folder.file(), checkpoints)
    let report = salvage.examine()
    try FileManager.default.createDirectory(atPath: folder.file("kept"), withIntermediateDirectories: false)
    try salvage.replace(report, keepingIn: folder.file("kept"))
    return report
  }

  @Test("a repair saves what is readable of a checkpoint as a snapshot, and keeps the pages with the damaged file")
  func repairs() throws {
    let folder = try folder(checkpoints: [4], prunes: true)
    try FileManager.default.createDirectory(
      atPath: folder.file("main.journal.pages"), withIntermediateDirectories: false)
    let report = try repair(folder, StubCheckpoints(chunks: [[1, 2], [3]], unreadableCount: 3_000))
    #expect(report.unreadableCount == 3_000 && report.base?.position == 4 && report.headPosition == 10)
    #expect(report.damages.map(\.finding) == ["part 0", "part 1", "2998 more parts of the data cannot be read"])
    #expect(report.lostPositions == nil && !report.isWhole && !report.isLost)
    let journal = try open(folder)
    let snapshot = try #require(try journal.currentSnapshot())
    var chunks: [[UInt8]] = []
    try journal.forEachChunk(of: snapshot) { chunks.append($0) }
    #expect(snapshot.position == 4 && chunks == [[1, 2], [3]] && journal.recovery.headPosition == 10)
    try journal.close()
    #expect(!folder.exists("main.journal.pages"))
    for number in 0..<3 { #expect(try folder.bytes("kept/main.journal.pages/0000000\(number).seg") == [UInt8(number)]) }
    #expect(folder.exists("kept/main.journal"))
  }

  @Test("an older start without unreadable pages is preferred if its log leads as far")
  func olderStart() throws {
    for snapshots in [[Int64](), [2]] {
      let folder = try folder(snapshots: snapshots, checkpoints: [4])
      let report = try JournalSalvage(path: folder.file(), StubCheckpoints(unreadableCount: 2)).examine()
      #expect(report.base?.position == snapshots.first && report.unreadableCount == 0 && report.headPosition == 10)
      #expect(report.damages.count == 2 && !report.isWhole && report.hasUnreadablePages)
    }
  }

  @Test("an intact journal with a checkpoint has no findings")
  func intact() throws {
    let folder = try folder(checkpoints: [4], prunes: true)
    let report = try JournalSalvage(path: folder.file(), StubCheckpoints()).examine()
    #expect(report.isWhole && report.base?.position == 4 && report.unreadableCount == 0)
  }

  // MARK: The folder of pages

  @Test("pages are removed with their journal, also those that an interrupted removal left")
  func removal() throws {
    let folder = try JournalFolder()
    let journals = SQLiteJournals(folder: folder.path)
    let pages = try #require(journals.pageFolder(of: "a"))
    #expect(pages == folder.file("a.pages"))
    for hasJournal in [true, false] {
      if hasJournal { try journals.open("a").journal.close() }
      for name in ["a", "ab"] {
        try FileManager.default.createDirectory(atPath: folder.file(name + ".pages"), withIntermediateDirectories: true)
        for number in 0..<3 { try folder.write([1], "\(name).pages/0000000\(number).seg") }
      }
      try journals.remove("a")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["ab.pages"])
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("ab.pages")).count == 3)
  }

  @Test("pages stay while their journal is open")
  func removalInUse() throws {
    let folder = try JournalFolder()
    let journals = SQLiteJournals(folder: folder.path)
    let journal = try journals.open("a").journal
    try FileManager.default.createDirectory(atPath: folder.file("a.pages"), withIntermediateDirectories: false)
    #expect(throws: JournalError(.inUse, "")) { try journals.remove("a") }
    #expect(folder.exists("a.pages"))
    try journal.close()
  }

  @Test("a journal with pages is not moved, and not onto pages")
  func move() throws {
    let (folder, other) = (try JournalFolder(), try JournalFolder())
    let (journals, target) = (SQLiteJournals(folder: folder.path), SQLiteJournals(folder: other.path))
    try journals.open("a").journal.close()
    for (place, code) in [(folder, JournalError.Code.unsupported), (other, .inUse)] {
      try FileManager.default.createDirectory(atPath: place.file("a.pages"), withIntermediateDirectories: false)
      #expect(throws: JournalError(code, "")) { try journals.move("a", to: target) }
      try place.remove("a.pages")
    }
    try journals.move("a", to: target)
    #expect(try target.names() == ["a"])
  }
}
