import Foundation
import RandomTestKit
import Testing

/// Tests on disks that are full, fail, and lose unsynced data in a power failure: acknowledged changes are there
/// afterwards, refused ones are not, and every file opens.
@Suite(.serialized) struct DiskFaultTests {
  private static func extent(pointStride: Int, callStride: Int) -> FaultExtent {
    Torture.isOn
      ? FaultExtent(images: 40, pointStride: 1, callStride: 1)
      : FaultExtent(images: 4, pointStride: pointStride, callStride: callStride)
  }

  @Test("a journal opens with all acknowledged commits after a power loss at any point")
  func journalWithoutPower() throws {
    try losePower(JournalRun.self, Self.extent(pointStride: 16, callStride: 110), seed: 1)
  }

  @Test("a journal on a disk that fails refuses what it cannot store, and loses nothing")
  func journalOnFailingDisk() throws {
    try fail(JournalRun.self, Self.extent(pointStride: 16, callStride: 110), seed: 2)
  }

  @Test("a read that fails once is not taken for damage of the journal, whichever read it is")
  func everyReadOfJournal() throws {
    var matrix = try FaultMatrix<JournalRun>(FaultExtent(images: 1, pointStride: 1, callStride: 1), seed: 14)
    try matrix.fail(.failedRead)
    guard !matrix.isImpossible else { return }
    #expect(matrix.problems.isEmpty, "\(matrix.problems.prefix(5).joined(separator: "\n"))")
    #expect(matrix.imageCount > 30)
  }

  @Test("a log that was partly checkpointed beside a reader is checkpointed completely after a failed sync")
  func logMovedBesideReader() throws {
    // The sync that ends the second checkpoint matters; with this seed the sample includes it.
    var matrix = try FaultMatrix<CheckpointBesideReader>(Self.extent(pointStride: 1, callStride: 5), seed: 13)
    try matrix.fail(.lostSync)
    guard !matrix.isImpossible else { return }
    #expect(matrix.problems.isEmpty, "\(matrix.problems.prefix(5).joined(separator: "\n"))")
    #expect(matrix.imageCount > 20)
  }

  @Test("a power loss while a checkpoint is completed leaves the start before it or after it, with the log")
  func checkpointsWithoutPower() throws {
    try losePower(SteppedRun<CheckpointFiles>.self, Self.extent(pointStride: 3, callStride: 60), seed: 15)
  }

  @Test("a checkpoint on a failing disk becomes current or is refused, and a repetition completes it")
  func checkpointsOnFailingDisk() throws {
    try fail(SteppedRun<CheckpointFiles>.self, Self.extent(pointStride: 16, callStride: 60), seed: 16)
  }

  @Test("after a power loss at any point an outbox has the entries of every stored commit, with their outcomes")
  func outboxWithoutPower() throws {
    try losePower(SteppedRun<OutboxFiles>.self, Self.extent(pointStride: 24, callStride: 100), seed: 4)
  }

  @Test("an outbox on a failing disk loses and repeats no entry and no outcome")
  func outboxOnFailingDisk() throws {
    try fail(SteppedRun<OutboxFiles>.self, Self.extent(pointStride: 24, callStride: 100), seed: 5)
  }

  @Test("after a power loss at any point the newest checkpoint opens, and every page below it is read")
  func pagesWithoutPower() throws {
    try losePower(PageFilesRun.self, Self.extent(pointStride: 3, callStride: 9), seed: 15)
  }

  @Test("page files on a failing disk lose no stored page, and nothing is written after a failed sync")
  func pagesOnFailingDisk() throws {
    try fail(PageFilesRun.self, Self.extent(pointStride: 3, callStride: 14), seed: 16)
  }

  @Test("a database opens with all acknowledged changes after a power loss at any point of its journal and its pages")
  func databaseWithoutPower() throws {
    try losePower(SteppedRun<DatabaseFiles>.self, Self.databaseExtent(pointStride: 9, callStride: 60), seed: 17)
  }

  @Test("a database with pages on a failing disk makes changes completely or not at all, and tells nothing wrong")
  func databaseOnFailingDisk() throws {
    try fail(SteppedRun<DatabaseFiles>.self, Self.databaseExtent(pointStride: 16, callStride: 90), seed: 18)
  }

  /// An extent with fewer images than others: a process cannot open more than 65,535 databases with pages.
  private static func databaseExtent(pointStride: Int, callStride: Int) -> FaultExtent {
    Torture.isOn
      ? FaultExtent(images: 4, pointStride: 1, callStride: 1)
      : FaultExtent(images: 2, pointStride: pointStride, callStride: callStride)
  }

  @Test("after a power loss at any point the accounts have a prefix of the changes, with all acknowledged ones")
  func accountsWithoutPower() async throws {
    try await onOwnThread {
      try losePower(SteppedRun<AccountFiles>.self, Self.extent(pointStride: 16, callStride: 60), seed: 6)
    }
  }

  @Test("accounts on a failing disk change completely or not at all, and a change that waits for room is stored later")
  func accountsOnFailingDisk() async throws {
    try await onOwnThread {
      try fail(SteppedRun<AccountFiles>.self, Self.extent(pointStride: 16, callStride: 60), seed: 7)
    }
  }

  @Test("an atomically replaced file has its former content, or the new content once the replacement was reported")
  func wholeFiles() throws {
    for writer in FileWriterKind.allCases {
      var matrix = try FileMatrix(
        writer, images: Torture.count(sample: 4, full: 200), stride: Torture.count(sample: 4, full: 1), seed: 3)
      try matrix.losePower()
      for fault in WatchedDisk.Fault.allCases { try matrix.fail(fault) }
      #expect(matrix.problems.isEmpty, "\(writer): \(matrix.problems.prefix(5).joined(separator: "\n"))")
      #expect(matrix.isImpossible || matrix.imageCount > 20)
      Torture.report("\(writer): \(matrix.imageCount) disks, \(matrix.problems.count) problems")
    }
  }

  private func losePower<Run: DiskRun>(_ run: Run.Type, _ extent: FaultExtent, seed: UInt64) throws {
    var matrix = try FaultMatrix<Run>(extent, seed: seed)
    try matrix.losePower()
    guard !matrix.isImpossible else { return }
    #expect(matrix.problems.isEmpty, "\(matrix.problems.prefix(5).joined(separator: "\n"))")
    #expect(matrix.imageCount > 30)
    Torture.report("\(run): \(matrix.imageCount) disks after a power loss, \(matrix.problems.count) problems")
  }

  private func fail<Run: DiskRun>(_ run: Run.Type, _ extent: FaultExtent, seed: UInt64) throws {
    var matrix = try FaultMatrix<Run>(extent, seed: seed)
    for fault in WatchedDisk.Fault.allCases { try matrix.fail(fault) }
    guard !matrix.isImpossible else { return }
    #expect(matrix.problems.isEmpty, "\(matrix.problems.prefix(5).joined(separator: "\n"))")
    #expect(matrix.imageCount > 30)
    Torture.report("\(run)\n\(matrix.table.text)\n\(matrix.imageCount) disks, \(matrix.problems.count) problems")
  }

  /// Runs work on its own thread, because it waits for tasks that need the threads of tests.
  private func onOwnThread(_ work: @escaping @Sendable () throws -> Void) async throws {
    let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Void, any Error>, Never>) in
      let thread = Thread { done.resume(returning: Result { try work() }) }
      thread.stackSize = 8 << 20
      thread.start()
    }
    try result.get()
  }
}
