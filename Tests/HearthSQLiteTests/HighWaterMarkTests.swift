import Foundation
import GRDB
import HearthJournal
import HearthTestKit
import RandomTestKit
import Testing

@testable import HearthSQLite

/// Tests of the mark of a log's end, which is stored apart from the log.
@Suite struct HighWaterMarkTests {
  /// Returns a journal with all data in its write-ahead log, without checkpoints.
  private func makeJournal(_ folder: JournalFolder) throws -> SQLiteJournal {
    try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(checkpointBytes: .max))
  }

  /// Copies the files in their present state, as if the process were killed now.
  private func kill(_ folder: JournalFolder, as name: String = "copy") throws {
    for suffix in ["", "-wal", ".mark"] { try folder.copy("main.journal" + suffix, to: name + suffix) }
  }

  private func open(
    _ folder: JournalFolder, _ name: String = "copy", _ mode: JournalRecovery.Mode = .truncateTornTail
  ) throws -> SQLiteJournal {
    try SQLiteJournal(path: folder.file(name), options: SQLiteJournal.Options(recovery: mode))
  }

  private func marked(_ folder: JournalFolder, _ name: String = "main.journal") throws -> Int64? {
    guard case .found(let slot) = try HighWaterMark.read(journalPath: folder.file(name)) else { return nil }
    return slot.position
  }

  @Test("the documented example of the file is correct")
  func example() throws {
    let bytes: [UInt8] = [
      0x48, 0x72, 0x74, 0x68, 0x4d, 0x61, 0x72, 0x6b, 0x07, 0, 0, 0, 0, 0, 0, 0,
      0x00, 0x10, 0, 0, 0, 0, 0, 0, 0xfe, 0x28, 0x90, 0x55, 0xfc, 0xc6, 0x04, 0xd0,
    ]
    let slot = HighWaterMark.Slot(sequence: 7, position: 4_096)
    #expect(HighWaterMark.Slot(decoding: bytes[...]) == slot)
    #expect(slot.encoded == bytes)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x20
      #expect(HighWaterMark.Slot(decoding: damaged[...]) == nil)
    }
  }

  @Test("successful appends are marked, failed ones are not")
  func marks() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file(), options: SQLiteJournal.Options(sizeBytesMax: 200_000))
    var head = try journal.acquire()
    #expect(try marked(folder) == 0)
    for position in Int64(1)...5 {
      head = try journal.append(.following(head), after: head)
      #expect(try marked(folder) == position)
    }
    #expect(throws: JournalError(.noSpace, "")) {
      try journal.append(.following(head, sizeBytes: 300_000), after: head)
    }
    #expect(try marked(folder) == 5)
    try journal.close()
    #expect(try marked(folder) == 5)
    #expect(try folder.bytes("main.journal.mark").count == HighWaterMark.sizeBytes)
  }

  @Test("a log truncated at the end of a commit is refused, and the missing commits are named")
  func cutAtACommit() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    var head = try journal.acquire()
    var ends: [Int] = []
    for _ in 0..<6 {
      head = try journal.append(.following(head, sizeBytes: 5_000), after: head)
      ends.append(try folder.bytes("main.journal-wal").count)
    }
    let log = try folder.bytes("main.journal-wal")
    for (index, end) in ends.enumerated().dropLast() {
      try kill(folder)
      try folder.write(Array(log[..<end]), "copy-wal")
      let error = #expect(throws: JournalError.self) { try open(folder) }
      #expect(error?.code == .corrupt && error?.place.position == Int64(index + 1))
      #expect(error?.message.contains("ends at position \(index + 1)") == true)
      #expect(error?.message.contains("up to position 6 had been acknowledged") == true)
      #expect(error?.message.contains("hearth repair --apply \(folder.file("copy"))") == true)
      #expect(try folder.bytes("copy-wal") == Array(log[..<end]), "a refusal changes nothing")
      #expect(throws: JournalError(.corrupt, "")) { try open(folder) }
    }

    let copy = try open(folder, "copy", .truncateAtFirstDamage)
    #expect(copy.recovery.headPosition == 5)
    #expect(copy.recovery.damages.map(\.lostPositions) == [6...6])
    #expect(copy.recovery.damages.map(\.isUnfinishedCommit) == [false])
    #expect(folder.exists("copy-wal.damaged"))
    let next = try copy.acquire()
    _ = try copy.append(.following(next), after: next)
    try copy.close()
    #expect(try open(folder).recovery.damages == [])
  }

  @Test("a log that is missing completely is detected")
  func removedLog() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    _ = try journal.appendBatches(3, after: try journal.acquire())
    try kill(folder)
    try folder.remove("copy-wal")
    #expect(throws: JournalError(.corrupt, "")) { try open(folder) }
    try folder.remove("copy.mark")
    #expect(try open(folder).recovery.headPosition == 0)
  }

  @Test("a flipped bit in the last commit before a kill is damage, not an unfinished commit")
  func flippedBit() throws {
    var generator = SeededRandom(seed: 17)
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    let head = try journal.appendBatches(3, after: try journal.acquire())
    let start = try folder.bytes("main.journal-wal").count
    _ = try journal.append(.following(head, sizeBytes: 9_000), after: head)
    let log = try folder.bytes("main.journal-wal")
    for round in 0..<20 {
      var damaged = log
      let index = Int.random(in: start..<log.count, using: &generator)
      damaged[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      try kill(folder)
      try folder.write(damaged, "copy-wal")
      let error = #expect(throws: JournalError.self, "round \(round), byte \(index)") { try open(folder) }
      #expect(error?.code == .corrupt)
      #expect(try folder.bytes("copy-wal") == damaged, "a refusal changes nothing")
      let copy = try open(folder, "copy", .truncateAtFirstDamage)
      #expect(copy.recovery.headPosition == 3)
      #expect(copy.recovery.damages.last?.lostPositions == 4...4)
      #expect(try folder.bytes("copy-wal.damaged") == damaged)
      try copy.close()
    }
  }

  @Test("after a clean stop a missing batch, an older copy and a missing file are refused")
  func afterACleanStop() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(4, after: try journal.acquire())
    try journal.close()
    let older = try folder.bytes("main.journal")
    journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(4, after: try journal.acquire())
    try journal.close()
    let newer = try folder.bytes("main.journal")

    let queue = try DatabaseQueue(path: folder.file())
    try queue.write { try $0.execute(sql: "DELETE FROM batch WHERE first_position = 8") }
    try queue.close()
    #expect(throws: JournalError(.corrupt, "")) { try open(folder, "main.journal") }
    try folder.write(older, "main.journal")
    let error = #expect(throws: JournalError.self) { try open(folder, "main.journal") }
    #expect(error?.message.contains("replaced by an older copy") == true)
    try folder.remove("main.journal")
    #expect(throws: JournalError(.corrupt, "")) { try open(folder, "main.journal") }
    #expect(!folder.exists("main.journal"), "a refusal changes nothing")
    try folder.write(newer, "main.journal")
    #expect(try open(folder, "main.journal").recovery.headPosition == 8)
  }

  @Test("a folder without a mark opens and gets one")
  func versionBefore() throws {
    let folder = try JournalFolder()
    var journal = try SQLiteJournal(path: folder.file())
    _ = try journal.appendBatches(4, after: try journal.acquire())
    try journal.close()
    try folder.remove("main.journal.mark")
    journal = try SQLiteJournal(path: folder.file())
    #expect(journal.recovery.damages == [] && journal.recovery.headPosition == 4)
    #expect(try marked(folder) == 4)
    try journal.close()
  }

  @Test("a commit after the last mark is kept, and one torn slot is tolerated")
  func behindTheLog() throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    var head = try journal.appendBatches(5, after: try journal.acquire())
    let before = try folder.bytes("main.journal.mark")
    head = try journal.append(.following(head), after: head)
    let after = try folder.bytes("main.journal.mark")
    try kill(folder)
    try folder.write(before, "copy.mark")
    var copy = try open(folder)
    #expect(copy.recovery.damages == [] && copy.recovery.headPosition == 6)
    try copy.close()

    let torn = try #require(zip(before, after).enumerated().first { $1.0 != $1.1 }).offset
    var bytes = after
    bytes[torn] ^= 0xFF
    try kill(folder)
    try folder.write(bytes, "copy.mark")
    #expect(try marked(folder, "copy") == 5)
    copy = try open(folder)
    #expect(copy.recovery.damages == [] && copy.recovery.headPosition == 6)
    #expect(try marked(folder, "copy") == 6)
    try copy.close()
  }

  @Test("an unreadable mark is reported, and written anew", arguments: [0, 20, 700, 4_000])
  func unreadable(sizeBytes: Int) throws {
    let folder = try JournalFolder()
    let journal = try makeJournal(folder)
    _ = try journal.appendBatches(2, after: try journal.acquire())
    try kill(folder)
    try folder.write([UInt8](repeating: 0xA5, count: sizeBytes), "copy.mark")
    let copy = try open(folder)
    #expect(copy.recovery.headPosition == 2)
    #expect(copy.recovery.damages.map(\.isUnfinishedCommit) == [false])
    #expect(copy.recovery.damages.first?.place.file == folder.file("copy.mark"))
    try copy.close()
    #expect(try open(folder).recovery.damages == [])
    #expect(try marked(folder, "copy") == 2)
  }
}
