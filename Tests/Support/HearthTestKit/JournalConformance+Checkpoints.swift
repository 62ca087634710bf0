import HearthJournal

extension JournalConformance {
  /// The checks of a journal whose engine has checkpoints, beside ``checks``.
  package static let checkpointChecks = [
    Check("a checkpoint is there when it is complete, also after a restart, with the log after it") { open in
      var journal = try open()
      try expect(journal.currentCheckpoint(), nil, "the checkpoint of a new journal")
      let head = try journal.appendBatches(5, after: try journal.acquire())
      let written = try journal.completeCheckpoint(at: 3, payload: [1, 2, 3])
      try expect([written.position, Int64(written.payload.count)], [3, 3], "the position and the size")
      func look(_ when: String) throws {
        try expect(journal.currentCheckpoint(), written, "the checkpoint, \(when)")
        try expect(journal.allBatches(after: 3).map(\.firstPosition), [4, 5], "the log after it, \(when)")
        try expect(journal.allBatches().count, 5, "all batches, \(when)")
      }
      try look("before the end")
      try journal.close()
      journal = try open()
      try look("after a restart")
      let again = try journal.acquire()
      try expect(
        again, JournalHead(epoch: head.epoch + 1, position: 5, runningHash: head.runningHash), "the head")
      let last = try journal.completeCheckpoint(at: 5, payload: [4])
      try expect(last.runningHash, head.runningHash, "the running hash of a checkpoint at the end of the log")
    },
    Check("pruning removes what the checkpoint covers, and the log goes on where it ends") { open in
      var journal = try open()
      var head = try journal.appendBatches(6, after: try journal.acquire())
      _ = try journal.completeCheckpoint(at: 2, payload: [2])
      let second = try journal.completeCheckpoint(at: 4, payload: [4])
      try journal.prune(keepingFrom: 3)
      try expect(journal.oldestPosition(), 2, "the oldest position when a state before the newest is wanted")
      try expect(journal.checkpointPositions(), [2, 4], "the checkpoints then")
      try journal.prune()
      try expect(journal.checkpointPositions(), [4], "the checkpoints after pruning")
      try expect(journal.oldestPosition(), 4, "the oldest position")
      try expect(.pruned, "the batches before it") { _ = try journal.allBatches(after: 3) }
      try expect(journal.currentCheckpoint(), second, "the checkpoint after pruning")
      let third = try journal.completeCheckpoint(at: 6, payload: [6])
      try journal.prune()
      try expect(journal.allBatches(after: 6), [], "the log when the checkpoint covers all of it")
      try journal.close()
      journal = try open()
      let again = try journal.acquire()
      try expect(again.position, 6, "the position after a restart")
      try expect(again.runningHash, head.runningHash, "the running hash after a restart")
      try expect(.staleEpoch, "an append of the owner before") { _ = try journal.append(.following(head), after: head) }
      head = try journal.append(.following(again), after: again)
      try expect(head.position, 7, "the position after an append")
      try expect(journal.currentCheckpoint(), third, "the checkpoint after an append")
    },
    Check("a checkpoint replaces the one at its position, and none that is newer") { open in
      let journal = try open()
      _ = try journal.completeCheckpoint(at: 0, payload: [0])
      var head = try journal.acquire()
      head = try journal.append(.following(head, commits: 4), after: head)
      head = try journal.append(.following(head, commits: 2), after: head)
      for position in [Int64(1), 3, 5, 7, -1, .max, .min] {
        try expect(.positionMismatch, "a checkpoint at \(position)") {
          _ = try journal.completeCheckpoint(at: position, payload: [1])
        }
      }
      _ = try journal.completeCheckpoint(at: 6, payload: [1])
      try journal.prune()
      let again = try journal.completeCheckpoint(at: 6, payload: [2])
      try expect(journal.currentCheckpoint(), again, "the checkpoint that was written again")
      try expect(again.runningHash, head.runningHash, "its running hash")
      for position in [Int64(0), 4] {
        try expect(.positionMismatch, "a checkpoint at \(position)") {
          _ = try journal.completeCheckpoint(at: position, payload: [1])
        }
      }
    },
    Check("a checkpoint has a limited size, and is not empty") { open in
      let journal = try open()
      let most = JournalLimits.checkpointBytesMax
      for sizeBytes in [0, most + 1] {
        try expect(.tooLarge, "\(sizeBytes) bytes") {
          _ = try journal.completeCheckpoint(at: 0, payload: [UInt8](repeating: 7, count: sizeBytes))
        }
      }
      try expect(journal.currentCheckpoint(), nil, "the checkpoint after the refusals")
      for sizeBytes in [1, most] {
        let written = try journal.completeCheckpoint(at: 0, payload: [UInt8](repeating: 7, count: sizeBytes))
        try expect(journal.currentCheckpoint() == written, true, "a payload of \(sizeBytes) bytes comes back")
      }
    },
    Check("a restart loads the newer of snapshot and checkpoint, and the checkpoint of two at one position") { open in
      let journal = try open()
      let head = try journal.appendBatches(4, after: try journal.acquire())
      _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 2))
      let first = try journal.completeCheckpoint(at: 2, payload: [2])
      try expect(journal.currentCheckpoint(), first, "the checkpoint at the position of the snapshot")
      let ticket = try journal.beginSnapshot(at: 4)
      try expect(journal.currentCheckpoint(), first, "the checkpoint before the newer snapshot is complete")
      let snapshot = try journal.completeSnapshot(ticket)
      try expect(journal.currentCheckpoint(), nil, "the checkpoint when the snapshot is newer")
      try expect(journal.currentSnapshot(), snapshot, "the newer snapshot")
      let second = try journal.completeCheckpoint(at: 4, payload: [4])
      try journal.prune()
      try expect(journal.currentCheckpoint(), second, "the checkpoint after pruning")
      try expect((try? journal.snapshotChunk(0, of: snapshot)) == nil, true, "the snapshot is gone")
      try expect(journal.append(.following(head), after: head).position, 5, "the position after an append")
    },
    Check("pruning keeps batches before a checkpoint for backups, up to a position") { open in
      let journal = try open()
      let head = try journal.appendBatches(9, after: try journal.acquire())
      let checkpoint = try journal.completeCheckpoint(at: 8, payload: [8])
      try journal.prune(keepingFrom: .max, batchesThrough: 5)
      try expect(journal.currentCheckpoint(), checkpoint, "the checkpoint")
      try expect(journal.batches(after: 5, sizeBytesMax: .max).map(\.lastPosition), [6, 7, 8, 9], "what is kept")
      try expect(.pruned, "what is not") { _ = try journal.batches(after: 4, sizeBytesMax: .max) }
      try journal.prune(keepingFrom: .max, batchesThrough: 20)
      try expect(journal.batches(after: 8, sizeBytesMax: .max).map(\.lastPosition), [9], "what a start needs")
      try expect(journal.append(.following(head), after: head).position, 10, "the position after an append")
    },
    Check("retained checkpoints are read, replaced and removed, also after a restart") { open in
      var journal = try open()
      _ = try journal.appendBatches(8, after: try journal.acquire())
      for position in [Int64(2), 4, 6, 8] {
        _ = try journal.completeCheckpoint(at: position, payload: [UInt8(position)])
      }
      try expect(journal.checkpoint(at: 4)?.payload, [4], "an older checkpoint")
      try expect(journal.checkpoint(at: 5), nil, "a position without one")
      let before = try journal.checkpoint(at: 4)
      try journal.replaceCheckpoint(at: 4, payload: [1, 2, 3])
      try journal.replaceCheckpoint(at: 5, payload: [7])
      try expect(.tooLarge, "an empty one") { try journal.replaceCheckpoint(at: 4, payload: []) }
      try journal.removeCheckpoint(at: 6)
      try journal.removeCheckpoint(at: 6)
      try expect(.positionMismatch, "removing the current one") { try journal.removeCheckpoint(at: 8) }
      try journal.close()
      journal = try open()
      _ = try journal.acquire()
      try expect(journal.checkpointPositions(), [2, 4, 8], "what is left")
      let after = try journal.checkpoint(at: 4)
      try expect(after?.payload, [1, 2, 3], "the replaced content")
      try expect(after?.runningHash, before?.runningHash, "the running hash of the replaced one")
      try expect(journal.currentCheckpoint()?.payload, [8], "the current one")
      try journal.prune(keepingFrom: 5)
      try expect(journal.checkpointPositions(), [4, 8], "what pruning leaves")
      try expect(journal.allBatches(after: 4).count, 4, "the log after the oldest")
    },
    Check("while a checkpoint is the start, older snapshots stay readable and removable") { open in
      let journal = try open()
      _ = try journal.appendBatches(4, after: try journal.acquire())
      let snapshot = try journal.completeSnapshot(try journal.beginSnapshot(at: 2))
      let checkpoint = try journal.completeCheckpoint(at: 3, payload: [3])
      try expect(.unsupported, "the current snapshot") { _ = try journal.currentSnapshot() }
      try expect(journal.snapshots(), [snapshot], "the snapshots")
      let copy = try journal.completeSnapshot(try journal.beginSnapshot(at: 2))
      try journal.removeSnapshot(snapshot)
      try expect(journal.snapshots(), [copy], "the snapshots after one is replaced")
      try journal.removeSnapshot(copy)
      try expect(.positionMismatch, "what a restart reads") { try journal.rewrite(through: 4) { _ in BatchRewrite() } }
      try journal.rewrite(through: 3) { BatchRewrite(payload: $0.firstPosition == 3 ? [9] : nil) }
      try expect(journal.batches(after: 2, sizeBytesMax: 1).first?.payload, [9], "the rewritten batch")
      try expect(journal.currentCheckpoint(), checkpoint, "the checkpoint")
      try journal.close()
      try expect(.closed, "completeCheckpoint") { _ = try journal.completeCheckpoint(at: 4, payload: [4]) }
      try expect(.closed, "currentCheckpoint") { _ = try journal.currentCheckpoint() }
    },
  ]
}
