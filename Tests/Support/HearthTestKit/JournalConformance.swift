import HearthJournal

/// The conformance checks that a journal engine must pass before it may store databases. The tests of an engine replay
/// all of them:
///
/// ```swift
/// @Test("keeps what every journal promises", arguments: JournalConformance.checks)
/// func conforms(_ check: JournalConformance.Check) throws {
///   let folder = try JournalFolder()
///   try check.run(SQLiteJournals(folder: folder.path))
/// }
/// ```
///
/// An engine's own tests cover the faults that only it can produce: crashes in the middle of an append, damaged files,
/// full disks.
package enum JournalConformance {
  /// Opens the journal of a check: empty at first, and the same journal again after it was closed.
  typealias Opening = () throws -> any Journal

  /// One requirement and its check.
  package struct Check: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    package let description: String
    fileprivate let body: @Sendable (Opening) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (Opening) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Checks that a journal meets the requirement.
    ///
    /// - Parameter journals: A factory that has not opened the checked journal yet.
    /// - Throws: ``Breach`` when the requirement is not met; unexpected errors of the journal.
    package func run(_ journals: any JournalFactory) throws { try body { try journals.open("conformance").journal } }
  }

  /// An error for a requirement that a journal does not meet.
  package struct Breach: Error, CustomStringConvertible {
    /// The difference, with the line of the check that found it.
    package let description: String
  }

  /// All conformance checks.
  package static let checks = logChecks + ownerChecks + snapshotChecks + historyChecks + endChecks

  // MARK: Expectations

  /// Throws a breach unless both values are equal.
  static func expect<Value: Equatable>(
    _ found: Value, _ wanted: Value, _ what: String, file: String = #fileID, line: Int = #line
  ) throws {
    guard found != wanted else { return }
    throw Breach(description: "\(what): \(found) instead of \(wanted) (\(file):\(line))")
  }

  /// Throws a breach unless the body throws an error with this code.
  static func expect(
    _ code: JournalError.Code, _ what: String, file: String = #fileID, line: Int = #line, _ body: () throws -> Void
  ) throws {
    var problem = "nothing was thrown"
    do { try body() } catch let error as JournalError {
      if error.code == code { return }
      problem = "\(error)"
    } catch { problem = "\(error)" }
    throw Breach(description: "\(what): \(problem) instead of an error .\(code) (\(file):\(line))")
  }
}

// MARK: - The log

extension JournalConformance {
  private static let logChecks = [
    Check("batches come back in order with their bytes") { open in
      let journal = try open()
      var head = try journal.acquire()
      try expect(head, JournalHead(epoch: 1, position: 0, runningHash: .empty), "the head of an empty log")
      var written: [JournalBatch] = []
      for commits in [Int64(1), 5, 2] {
        let batch = JournalBatch.following(head, commits: commits, sizeBytes: Int(commits) * 1_000)
        head = try journal.append(batch, after: head)
        written.append(batch)
      }
      try expect(head.position, 8, "the position after three batches")
      try expect(journal.allBatches(), written, "all batches")
      try expect(journal.allBatches(after: 1), Array(written[1...]), "the batches after the first")
      try expect(journal.allBatches(after: 8), [], "the batches after the last")
    },
    Check("a batch with an empty payload is a batch") { open in
      let journal = try open()
      let head = try journal.acquire()
      _ = try journal.append(.following(head, sizeBytes: 0), after: head)
      try expect(journal.allBatches().map(\.payload), [[]], "the payloads")
    },
    Check("a batch that straddles the position is returned whole") { open in
      let journal = try open()
      let head = try journal.acquire()
      _ = try journal.append(.following(head, commits: 10), after: head)
      try expect(journal.allBatches(after: 4).map(\.firstPosition), [1], "where the batches begin")
    },
    Check("reading stops before a batch that passes the byte limit, but never before the first") { open in
      let journal = try open()
      _ = try journal.appendBatches(5, after: try journal.acquire(), sizeBytes: 100)
      for (sizeBytesMax, count) in [(300, 3), (299, 2), (0, 1)] {
        try expect(
          journal.batches(after: 0, sizeBytesMax: sizeBytesMax).count, count, "batches of \(sizeBytesMax) bytes")
      }
    },
    Check("the running hash goes on as it is written down for all journals") { open in
      let journal = try open()
      var hash = RunningHash.empty
      var head = try journal.acquire()
      for commits in [Int64(1), 3] {
        let batch = JournalBatch.following(head, commits: commits)
        hash = hash.appending(batch, epoch: head.epoch)
        head = try journal.append(batch, after: head)
        try expect(head.runningHash, hash, "the running hash")
      }
    },
    Check("an append that does not continue the log is refused") { open in
      let journal = try open()
      let first = try journal.acquire()
      let head = try journal.appendBatches(3, after: first)
      var otherHistory = head
      otherHistory.runningHash = RunningHash(rawValue: 42)
      for wrong in [first, otherHistory, JournalHead(epoch: 1, position: 9, runningHash: head.runningHash)] {
        try expect(.positionMismatch, "an append after \(wrong)") {
          _ = try journal.append(.following(wrong), after: wrong)
        }
      }
      for (from, to) in [(Int64(5), Int64(6)), (3, 4), (4, 3), (.min, .max), (4, .min)] {
        try expect(.positionMismatch, "a batch from \(from) to \(to)") {
          _ = try journal.append(JournalBatch(firstPosition: from, lastPosition: to, payload: []), after: head)
        }
      }
      try expect(journal.append(.following(head), after: head).position, 4, "the position after a right one")
    },
  ]

  private static let ownerChecks = [
    Check("a newer owner makes the older one's appends fail") { open in
      let journal = try open()
      let old = try journal.appendBatches(2, after: try journal.acquire())
      let new = try journal.acquire()
      try expect(new.epoch, old.epoch + 1, "the newer owner's epoch")
      try expect(new.position, 2, "the newer owner's position")
      try expect(.staleEpoch, "the older owner's append") { _ = try journal.append(.following(old), after: old) }
      try expect(journal.append(.following(new), after: new).position, 3, "the position after the newer owner's append")
      try expect(journal.allBatches().count, 3, "the batches")
    },
    Check("what was appended is there when the journal is opened again, and its next owner is a newer one") { open in
      var journal = try open()
      let head = try journal.appendBatches(3, after: try journal.acquire())
      let info = try journal.completeSnapshot(try journal.beginSnapshot(at: 2))
      let written = try journal.allBatches()
      try journal.close()
      journal = try open()
      try expect(journal.allBatches(), written, "the batches")
      try expect(journal.currentSnapshot(), info, "the snapshot")
      let again = try journal.acquire()
      try expect(
        again, JournalHead(epoch: head.epoch + 1, position: 3, runningHash: head.runningHash), "the head")
      try expect(.staleEpoch, "an append of the owner before") { _ = try journal.append(.following(head), after: head) }
      try expect(journal.append(.following(again), after: again).position, 4, "the position after an append")
    },
  ]

  private static let endChecks = [
    Check("a closed journal says so") { open in
      let journal = try open()
      let head = try journal.acquire()
      try journal.close()
      try journal.close()
      try expect(.closed, "acquire") { _ = try journal.acquire() }
      try expect(.closed, "append") { _ = try journal.append(.following(head), after: head) }
      try expect(.closed, "batches") { _ = try journal.allBatches() }
      try expect(.closed, "currentSnapshot") { _ = try journal.currentSnapshot() }
    }
  ]
}
