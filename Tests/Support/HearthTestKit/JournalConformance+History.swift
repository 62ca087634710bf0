import HearthJournal

extension JournalConformance {
  static let historyChecks = [
    Check("what a snapshot covers is kept until it is pruned, and a restart begins at the newest") { open in
      var journal = try open()
      try expect(journal.snapshots(), [], "the snapshots of a new journal")
      try expect(journal.oldestPosition(), 0, "the oldest position of a new journal")
      var head = try journal.appendBatches(4, after: try journal.acquire())
      let first = try snapshot(journal, at: 2, [1])
      head = try journal.appendBatches(3, after: head)
      let second = try snapshot(journal, at: 5, [2])
      func look(_ when: String) throws {
        try expect(journal.snapshots(), [first, second], "the snapshots, \(when)")
        try expect(journal.currentSnapshot(), second, "the current one, \(when)")
        try expect(journal.oldestPosition(), 0, "the oldest position, \(when)")
        try expect(journal.allBatches().map(\.firstPosition), [1, 2, 3, 4, 5, 6, 7], "all batches, \(when)")
        try expect(journal.snapshotChunk(0, of: first), [1], "a chunk of the first snapshot, \(when)")
      }
      try look("before the end")
      try journal.close()
      journal = try open()
      try look("after a restart")
      let again = try journal.acquire()
      try expect(again.position, head.position, "the head's position")
      try expect(again.runningHash, head.runningHash, "the head's hash")
    },
    Check("pruning keeps what a position needs: the snapshot at or before it, and the log after that one") { open in
      let journal = try open()
      let head = try journal.appendBatches(9, after: try journal.acquire())
      for position in [Int64(2), 4, 7] { _ = try snapshot(journal, at: position, [UInt8(position)]) }
      try journal.prune(keepingFrom: 1)
      try expect(journal.oldestPosition(), 0, "the oldest position when the log is needed from its first batch")
      try journal.prune(keepingFrom: 6)
      try expect(journal.snapshots().map(\.position), [4, 7], "the snapshots that are left")
      try expect(journal.oldestPosition(), 4, "the oldest position")
      try expect(.pruned, "batches before it") { _ = try journal.allBatches(after: 3) }
      try expect(journal.allBatches(after: 4).map(\.firstPosition), [5, 6, 7, 8, 9], "batches after it")
      try journal.prune(keepingFrom: 3)
      try expect(journal.snapshots().map(\.position), [4, 7], "the snapshots after pruning for something older")
      try journal.prune(keepingFrom: .max)
      try expect(journal.snapshots().map(\.position), [7], "the snapshots when nothing older is wanted")
      try expect(journal.allBatches(after: 7).map(\.firstPosition), [8, 9], "the log after the current snapshot")
      try expect(journal.append(.following(head), after: head).position, 10, "the position after an append")
    },
    Check("the log between two positions can be measured") { open in
      let journal = try open()
      _ = try journal.appendBatches(6, after: try journal.acquire(), sizeBytes: 1_000)
      try expect(journal.logBytes(after: 3, through: 3), 0, "nothing")
      let (two, all) = (try journal.logBytes(after: 1, through: 3), try journal.logBytes(after: 0, through: 6))
      try expect((2_000..<2_400).contains(two), true, "two batches of 1,000 bytes take \(two)")
      try expect(all, 3 * two, "six of them")
    },
    Check("kept batches can be written anew, and all others are as they were, also after a restart") { open in
      var journal = try open()
      var head = try journal.appendBatches(9, after: try journal.acquire(), sizeBytes: 100)
      for position in [Int64(3), 7] { _ = try snapshot(journal, at: position, [UInt8(position)]) }
      let before = try journal.allBatches()
      try expect(.positionMismatch, "what a restart reads") { try journal.rewrite(through: 8) { _ in BatchRewrite() } }
      for round in [UInt8(1), 2] {
        try journal.rewrite(through: 7) { batch in
          let isChosen = [2, 3, 5, 7].contains(batch.firstPosition)
          return BatchRewrite(payload: isChosen ? [round, UInt8(batch.firstPosition)] : nil)
        }
      }
      func look(_ when: String) throws {
        for (batch, old) in zip(try journal.allBatches(), before) {
          let isChosen = [2, 3, 5, 7].contains(batch.firstPosition)
          let payload = isChosen ? [2, UInt8(batch.firstPosition)] : old.payload
          try expect(batch.payload, payload, "the batch at \(batch.firstPosition), \(when)")
        }
        for position in Int64(0)..<9 {
          let first = try journal.batches(after: position, sizeBytesMax: 0).first?.firstPosition
          try expect(first, position + 1, "the batch after \(position), \(when)")
        }
      }
      try look("before the end")
      head = try journal.append(.following(head), after: head)
      // A snapshot at a compacted position belongs to the log as it continues.
      let again = try snapshot(journal, at: 9, [9])
      try journal.close()
      journal = try open()
      try look("after a restart")
      let found = try journal.acquire()
      try expect(found.position, head.position, "the head's position")
      try expect(found.runningHash, head.runningHash, "the head's hash")
      try expect(journal.currentSnapshot(), again, "the current snapshot")
      try expect(.positionMismatch, "removing the current snapshot") { try journal.removeSnapshot(again) }
      if let first = try journal.snapshots().first { try journal.removeSnapshot(first) }
      try expect(journal.snapshots().map(\.position), [7, 9], "the snapshots that are left")
      try journal.prune(keepingFrom: 8)
      try expect(journal.oldestPosition(), 7, "the oldest position")
      try expect(journal.allBatches(after: 7).map(\.firstPosition), [8, 9, 10], "the batches that are left")
      // A retained snapshot is compacted: the batch that ended there is gone.
      let old = try journal.snapshots()[0]
      let new = try snapshot(journal, at: 7, [70])
      try expect(new.runningHash, old.runningHash, "the hash of a snapshot that is written anew")
      try expect(journal.snapshots().map(\.identifier), [old.identifier, new.identifier, again.identifier], "both")
      try journal.removeSnapshot(old)
      try expect(journal.snapshots(), [new, again], "the snapshots in the end")
      try expect(journal.currentSnapshot(), again, "the current snapshot in the end")
    },
    Check("batches that belong together are written anew together") { open in
      let journal = try open()
      _ = try journal.appendBatches(6, after: try journal.acquire())
      _ = try snapshot(journal, at: 6, [6])
      struct Stop: Error {}
      do {
        try journal.rewrite(through: 6) { batch in
          if batch.firstPosition == 5 { throw Stop() }
          return BatchRewrite(payload: [9], isComplete: batch.firstPosition < 3)
        }
      } catch is Stop {}
      let isNew = try journal.allBatches().map { $0.payload == [9] }
      try expect(isNew, [true, true, false, false, false, false], "the batches written anew")
    },
  ]

  private static func snapshot(_ journal: any Journal, at position: Int64, _ chunk: [UInt8]) throws -> SnapshotInfo {
    let ticket = try journal.beginSnapshot(at: position)
    try journal.appendSnapshotChunk(chunk, to: ticket)
    return try journal.completeSnapshot(ticket)
  }
}
