import HearthJournal
import HearthSQLite
import HearthTestKit
import Testing

/// What every journal does, replayed against each kind.
@Suite struct JournalContractTests {
  enum Kind: CaseIterable {
    case memory
    case sqlite
  }

  /// A journal of one kind, with the folder it lives in.
  struct Subject {
    let journal: any Journal
    let folder: JournalFolder

    init(_ kind: Kind) throws {
      folder = try JournalFolder()
      journal = kind == .memory ? MemoryJournal() : try SQLiteJournal(path: folder.file())
    }
  }

  @Test("batches come back in order with their bytes", arguments: Kind.allCases)
  func batchesComeBack(_ kind: Kind) throws {
    let subject = try Subject(kind)
    var head = try subject.journal.acquire()
    #expect(head == JournalHead(epoch: 1, position: 0, runningHash: .empty))
    var written: [JournalBatch] = []
    for commits in [Int64(1), 5, 2] {
      let batch = JournalBatch.following(head, commits: commits, sizeBytes: Int(commits) * 1_000)
      head = try subject.journal.append(batch, after: head)
      written.append(batch)
    }
    #expect(head.position == 8)
    #expect(try subject.journal.allBatches() == written)
    #expect(try subject.journal.allBatches(after: 1) == Array(written[1...]))
    #expect(try subject.journal.allBatches(after: 8) == [])
  }

  @Test("a batch with an empty payload is a batch", arguments: Kind.allCases)
  func emptyPayload(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let head = try subject.journal.acquire()
    _ = try subject.journal.append(.following(head, sizeBytes: 0), after: head)
    #expect(try subject.journal.allBatches().map(\.payload) == [[]])
  }

  @Test("a batch that straddles the position is returned whole", arguments: Kind.allCases)
  func straddling(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let head = try subject.journal.acquire()
    _ = try subject.journal.append(.following(head, commits: 10), after: head)
    #expect(try subject.journal.allBatches(after: 4).map(\.firstPosition) == [1])
  }

  @Test("reading stops before a batch that passes the byte limit, but never before the first", arguments: Kind.allCases)
  func readLimit(_ kind: Kind) throws {
    let subject = try Subject(kind)
    _ = try subject.journal.appendBatches(5, after: try subject.journal.acquire(), sizeBytes: 100)
    #expect(try subject.journal.batches(after: 0, sizeBytesMax: 300).count == 3)
    #expect(try subject.journal.batches(after: 0, sizeBytesMax: 299).count == 2)
    #expect(try subject.journal.batches(after: 0, sizeBytesMax: 0).count == 1)
  }

  @Test("a newer owner makes the older one's appends fail", arguments: Kind.allCases)
  func staleEpoch(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let old = try subject.journal.appendBatches(2, after: try subject.journal.acquire())
    let new = try subject.journal.acquire()
    #expect(new.epoch == old.epoch + 1)
    #expect(new.position == 2)
    #expect(throws: JournalError(.staleEpoch, "")) {
      try subject.journal.append(.following(old), after: old)
    }
    let head = try subject.journal.append(.following(new), after: new)
    #expect(head.position == 3)
    #expect(try subject.journal.allBatches().count == 3)
  }

  @Test("an append that does not continue the log is refused", arguments: Kind.allCases)
  func positionMismatch(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let first = try subject.journal.acquire()
    let head = try subject.journal.appendBatches(3, after: first)
    var otherHistory = head
    otherHistory.runningHash = RunningHash(rawValue: 42)
    for wrong in [first, otherHistory, JournalHead(epoch: 1, position: 9, runningHash: head.runningHash)] {
      #expect(throws: JournalError(.positionMismatch, "")) {
        try subject.journal.append(.following(wrong), after: wrong)
      }
    }
    for (from, to) in [(Int64(5), Int64(6)), (3, 4), (4, 3), (.min, .max), (4, .min)] {
      #expect(throws: JournalError(.positionMismatch, "")) {
        try subject.journal.append(JournalBatch(firstPosition: from, lastPosition: to, payload: []), after: head)
      }
    }
    #expect(try subject.journal.append(.following(head), after: head).position == 4)
  }

  @Test("a snapshot is there when it is complete and not before", arguments: Kind.allCases)
  func snapshot(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let journal = subject.journal
    var head = try journal.appendBatches(3, after: try journal.acquire())
    let ticket = try journal.beginSnapshot(at: 2)
    try journal.appendSnapshotChunk([1, 2, 3], to: ticket)
    head = try journal.appendBatches(1, after: head)
    #expect(try journal.currentSnapshot() == nil)
    try journal.appendSnapshotChunk([], to: ticket)
    try journal.appendSnapshotChunk([4], to: ticket)
    let info = try journal.completeSnapshot(ticket)
    #expect(try journal.currentSnapshot() == info)
    #expect(info.position == 2 && info.chunkCount == 3 && info.sizeBytes == 4)
    var chunks: [[UInt8]] = []
    try journal.forEachChunk(of: info) { chunks.append($0) }
    #expect(chunks == [[1, 2, 3], [], [4]])
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try journal.appendSnapshotChunk([5], to: ticket) }
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try journal.completeSnapshot(ticket) }
  }

  @Test("pruning removes what the snapshot covers, and the log goes on", arguments: Kind.allCases)
  func pruning(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let journal = subject.journal
    try journal.prune()
    var head = try journal.appendBatches(5, after: try journal.acquire())
    let first = try journal.completeSnapshot(try journal.beginSnapshot(at: 3))
    try journal.prune()
    #expect(throws: JournalError(.pruned, "")) { try journal.allBatches() }
    #expect(try journal.allBatches(after: 3).map(\.firstPosition) == [4, 5])

    let second = try journal.completeSnapshot(try journal.beginSnapshot(at: 5))
    try journal.prune()
    #expect(throws: JournalError(.pruned, "")) { try journal.allBatches(after: 3) }
    #expect(throws: (any Error).self) { try journal.snapshotChunk(0, of: first) }
    #expect(try journal.currentSnapshot() == second)
    #expect(second.runningHash == head.runningHash)

    head = try journal.appendBatches(1, after: head)
    #expect(try journal.allBatches(after: 5).map(\.firstPosition) == [6])
    #expect(try journal.acquire().position == 6)
  }

  @Test("a snapshot stands only where a batch ends", arguments: Kind.allCases)
  func snapshotPosition(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let journal = subject.journal
    var head = try journal.acquire()
    _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 0))
    head = try journal.append(.following(head, commits: 4), after: head)
    for position in [Int64(1), 3, 5, -1, .max, .min] {
      #expect(throws: JournalError(.positionMismatch, "")) { try journal.beginSnapshot(at: position) }
    }
    _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 4))
    try journal.prune()
    #expect(throws: JournalError(.positionMismatch, "")) { try journal.beginSnapshot(at: 0) }
    #expect(try journal.completeSnapshot(try journal.beginSnapshot(at: 4)).runningHash == head.runningHash)
  }

  @Test("a later snapshot ends an earlier one that is not complete", arguments: Kind.allCases)
  func replacedSnapshot(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let journal = subject.journal
    _ = try journal.appendBatches(2, after: try journal.acquire())
    let first = try journal.beginSnapshot(at: 1)
    try journal.appendSnapshotChunk([1], to: first)
    let second = try journal.beginSnapshot(at: 2)
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try journal.appendSnapshotChunk([2], to: first) }
    try journal.abandonSnapshot(first)
    try journal.appendSnapshotChunk([3], to: second)
    #expect(try journal.completeSnapshot(second).chunkCount == 1)
    let third = try journal.beginSnapshot(at: 2)
    try journal.abandonSnapshot(third)
    #expect(throws: JournalError(.snapshotAbandoned, "")) { try journal.completeSnapshot(third) }
    #expect(try journal.currentSnapshot()?.identifier == second.identifier)
  }

  @Test("a chunk may be as large as the limit and no larger", arguments: Kind.allCases)
  func chunkLimit(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let journal = subject.journal
    _ = try journal.acquire()
    let ticket = try journal.beginSnapshot(at: 0)
    let largest = [UInt8](repeating: 7, count: JournalLimits.snapshotChunkBytesMax)
    try journal.appendSnapshotChunk(largest, to: ticket)
    #expect(throws: JournalError(.tooLarge, "")) { try journal.appendSnapshotChunk(largest + [7], to: ticket) }
    let info = try journal.completeSnapshot(ticket)
    #expect(info.chunkCount == 1)
    #expect(try journal.snapshotChunk(0, of: info) == largest)
  }

  @Test("a closed journal says so", arguments: Kind.allCases)
  func closed(_ kind: Kind) throws {
    let subject = try Subject(kind)
    let head = try subject.journal.acquire()
    try subject.journal.close()
    try subject.journal.close()
    #expect(throws: JournalError(.closed, "")) { try subject.journal.acquire() }
    #expect(throws: JournalError(.closed, "")) { try subject.journal.append(.following(head), after: head) }
    #expect(throws: JournalError(.closed, "")) { try subject.journal.allBatches() }
    #expect(throws: JournalError(.closed, "")) { try subject.journal.currentSnapshot() }
  }

  @Test("both kinds agree on the running hash")
  func sameHash() throws {
    let heads = try Kind.allCases.map { kind in
      let subject = try Subject(kind)
      return try subject.journal.appendBatches(4, after: try subject.journal.acquire())
    }
    #expect(heads[0] == heads[1])
  }
}
