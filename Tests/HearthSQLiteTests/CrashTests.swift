import Foundation
import HearthJournal
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthSQLite

/// Tests of the states that a crash may leave on the disk, made by copying and cutting the files.
@Suite struct CrashTests {
  /// Returns a journal with all data in its write-ahead log, without checkpoints.
  private func makeJournal(_ folder: JournalFolder) throws -> SQLiteJournal {
    try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(checkpointBytes: .max))
  }

  private func copyFiles(_ folder: JournalFolder, to name: String) throws {
    try folder.copy("main.journal", to: name)
    try folder.copy("main.journal-wal", to: name + "-wal")
  }

  @Test("a crash between two appends loses no commit")
  func crashBetweenAppends() throws {
    var generator = SeededRandom(seed: 3)
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(checkpointBytes: 100_000))
    var head = try journal.acquire()
    for round in 0..<40 {
      head = try journal.appendBatches(
        Int.random(in: 1...8, using: &generator), after: head, sizeBytes: Int.random(in: 0...9_000, using: &generator))
      if round % 9 == 4 {
        let ticket = try journal.beginSnapshot(at: head.position)
        try journal.appendSnapshotChunk([UInt8](repeating: 1, count: 5_000), to: ticket)
        if round % 2 == 0 {
          _ = try journal.completeSnapshot(ticket)
          try journal.prune()
        }
      }
      // The copy is made between checkpoints, so that it is a state that a crash may leave.
      try journal.checkpointer.queue.sync { try copyFiles(folder, to: "copy") }
      let copy = try SQLiteJournal(path: folder.file("copy"))
      #expect(copy.recovery.damages == [])
      #expect(copy.recovery.headPosition == head.position)
      let from = copy.recovery.snapshotPosition
      #expect(try copy.allBatches(after: from) == journal.allBatches(after: from))
      #expect(try copy.acquire().runningHash == head.runningHash)
      try copy.close()
    }
  }

  @Test("a log that is cut at any byte opens with the commits before the cut")
  func everyCut() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    var ends: [Int] = []
    var head = try journal.acquire()
    for sizeBytes in [10, 9_000, 0, 4_000, 100] {
      ends.append(try folder.bytes("main.journal-wal").count)
      head = try journal.append(.following(head, sizeBytes: sizeBytes), after: head)
    }
    ends.append(try folder.bytes("main.journal-wal").count)
    let log = try folder.bytes("main.journal-wal")
    let written = try journal.allBatches()

    var cuts = Set(stride(from: ends[0], through: log.count, by: 397))
    for end in ends { cuts.formUnion([end - 1, end, end + 1, end + 23, end + 24, end + 25, end + 32]) }
    for cut in cuts.sorted() where cut >= ends[0] && cut <= log.count {
      try folder.copy("main.journal", to: "copy")
      try folder.write(Array(log[..<cut]), "copy-wal")
      let copy = try SQLiteJournal(path: folder.file("copy"))
      // The batches that end before the cut.
      let expected = ends.dropFirst().count { $0 <= cut }
      #expect(try copy.allBatches() == Array(written[..<expected]), "cut at \(cut)")
      let isClean = ends.contains(cut)
      #expect(copy.recovery.damages.isEmpty == isClean, "cut at \(cut)")
      if !isClean {
        let damage = try #require(copy.recovery.damages.first)
        #expect(damage.isUnfinishedCommit && damage.lostPositions == nil)
        let place = damage.place
        #expect(place.file == folder.file("copy-wal"))
        let offset = try #require(place.byteOffset)
        #expect(offset >= ends[expected] && offset <= cut, "cut at \(cut)")
      }
      try copy.close()
    }
  }

  @Test("an incomplete last commit, with pages written in any order, is dropped completely and reported")
  func tornCommit() throws {
    var generator = SeededRandom(seed: 5)
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    let head = try journal.appendBatches(6, after: try journal.acquire())
    let before = try folder.bytes("main.journal-wal")
    _ = try journal.append(.following(head, sizeBytes: 60_000), after: head)
    let after = try folder.bytes("main.journal-wal")
    for round in 0..<40 {
      // Each 512-byte sector of the last commit was written or not; at least one was not.
      var log = after
      let missing = Int.random(in: before.count / 512 + 1..<after.count / 512, using: &generator)
      for sector in before.count / 512 + 1..<after.count / 512
      where sector == missing || Bool.random(using: &generator) {
        for index in sector * 512..<(sector + 1) * 512 { log[index] = 0 }
      }
      try folder.copy("main.journal", to: "copy")
      try folder.write(log, "copy-wal")
      let copy = try SQLiteJournal(path: folder.file("copy"))
      #expect(copy.recovery.headPosition == 6, "round \(round)")
      #expect(copy.recovery.damages.count == 1, "round \(round)")
      let acquired = try copy.acquire()
      #expect(acquired.runningHash == head.runningHash)
      _ = try copy.append(.following(acquired), after: acquired)
      try copy.close()
    }
  }

  @Test("a log that is damaged before acknowledged commits is refused, or cut off on request")
  func damagedLog() throws {
    var generator = SeededRandom(seed: 7)
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    var head = try journal.appendBatches(2, after: try journal.acquire())
    let start = try folder.bytes("main.journal-wal").count
    head = try journal.appendBatches(4, after: head)
    let end = try folder.bytes("main.journal-wal").count
    _ = try journal.appendBatches(3, after: head)
    let log = try folder.bytes("main.journal-wal")
    let written = try journal.allBatches()
    for round in 0..<40 {
      var damaged = log
      let index = Int.random(in: start..<end, using: &generator)
      damaged[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      try folder.copy("main.journal", to: "copy")
      try folder.write(damaged, "copy-wal")
      let error = #expect(throws: JournalError.self, "round \(round), byte \(index)") {
        try SQLiteJournal(path: folder.file("copy"))
      }
      #expect(error?.code == .corrupt)
      let offset = try #require(error?.place.byteOffset)
      #expect(offset <= index && index - offset < 24 + 4_096)
      #expect(try folder.bytes("copy-wal") == damaged, "a refusal changes nothing")

      let copy = try SQLiteJournal(
        path: folder.file("copy"), options: SQLiteJournal.Options(recovery: .truncateAtFirstDamage))
      let found = try copy.allBatches()
      #expect(found.count >= 2 && found.count < 6)
      #expect(found == Array(written[..<found.count]))
      #expect(try folder.bytes("copy-wal.damaged") == damaged)
      #expect(copy.recovery.damages.map(\.isUnfinishedCommit) == [false])
      try copy.close()
    }
  }

  @Test("a log with a damaged header is refused when it contains commits")
  func damagedHeader() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    _ = try journal.appendBatches(4, after: try journal.acquire())
    let log = try folder.bytes("main.journal-wal")
    for index in 0..<32 {
      var damaged = log
      damaged[index] ^= 0x10
      try folder.copy("main.journal", to: "copy")
      try folder.write(damaged, "copy-wal")
      #expect(throws: JournalError(.corrupt, ""), "byte \(index)") { try SQLiteJournal(path: folder.file("copy")) }
    }
    // A partial or bare header, or bytes that were never written, contain no batch that could be lost.
    for rest in [Array(log[..<20]), Array(log[..<32]), [UInt8](repeating: 0, count: 9_000)] {
      try folder.copy("main.journal", to: "copy")
      try folder.write(rest, "copy-wal")
      let copy = try SQLiteJournal(path: folder.file("copy"))
      #expect(copy.recovery.headPosition == 0)
      try copy.close()
    }
  }

  @Test("a crash during a WAL checkpoint loses no commit, for any written pages")
  func crashWhileCheckpointing() throws {
    var generator = SeededRandom(seed: 9)
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    let head = try journal.appendBatches(30, after: try journal.acquire(), sizeBytes: 3_000)
    let before = try folder.bytes("main.journal")
    let log = try folder.bytes("main.journal-wal")
    let written = try journal.allBatches()
    try journal.file.checkpointer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
    let after = try folder.bytes("main.journal")
    #expect(after.count > before.count)
    for round in 0..<20 {
      var mixed = after
      let length = Int.random(in: before.count / 4_096...after.count / 4_096, using: &generator) * 4_096
      mixed.removeLast(after.count - length)
      for page in 0..<before.count / 4_096 where Bool.random(using: &generator) {
        let range = page * 4_096..<(page + 1) * 4_096
        mixed.replaceSubrange(range, with: before[range])
      }
      try folder.write(mixed, "copy")
      try folder.write(log, "copy-wal")
      let copy = try SQLiteJournal(path: folder.file("copy"))
      #expect(try copy.allBatches() == written, "round \(round)")
      #expect(try copy.acquire().runningHash == head.runningHash)
      try copy.close()
    }
  }

  @Test("any bytes as a log result in an error or in a prefix of the commits")
  func fuzzedLog() throws {
    var generator = SeededRandom(seed: 13)
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    _ = try journal.appendBatches(5, after: try journal.acquire())
    let log = try folder.bytes("main.journal-wal")
    let written = try journal.allBatches()
    for round in 0..<150 {
      var damaged = log
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        // The headers of the file and of its frames are damaged as often as the pages.
        let frame = Int.random(in: 0...damaged.count / 4_120, using: &generator) * 4_120
        let index = min(
          damaged.count - 1,
          Bool.random(using: &generator)
            ? frame + Int.random(in: 0..<56, using: &generator)
            : Int.random(in: 0..<damaged.count, using: &generator))
        damaged[index] = UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator))
      }
      try folder.copy("main.journal", to: "copy")
      try folder.write(damaged, "copy-wal")
      let mode: JournalRecovery.Mode = round % 2 == 0 ? .truncateTornTail : .truncateAtFirstDamage
      do {
        let copy = try SQLiteJournal(path: folder.file("copy"), options: SQLiteJournal.Options(recovery: mode))
        let found = try copy.allBatches()
        #expect(found == Array(written[..<found.count]), "round \(round)")
        try copy.close()
      } catch let error as JournalError {
        #expect(error.code == .corrupt && mode == .truncateTornTail, "round \(round): \(error)")
      }
    }
  }
}
