import HearthJournal

extension JournalConformance {
  static let snapshotChecks = [
    Check("a snapshot is there when it is complete and not before") { open in
      let journal = try open()
      var head = try journal.appendBatches(3, after: try journal.acquire())
      let ticket = try journal.beginSnapshot(at: 2)
      try journal.appendSnapshotChunk([1, 2, 3], to: ticket)
      head = try journal.appendBatches(1, after: head)
      try expect(journal.currentSnapshot(), nil, "the snapshot before it is complete")
      try journal.appendSnapshotChunk([], to: ticket)
      try journal.appendSnapshotChunk([4], to: ticket)
      let info = try journal.completeSnapshot(ticket)
      try expect(journal.currentSnapshot(), info, "the snapshot")
      try expect([info.position, Int64(info.chunkCount), Int64(info.sizeBytes)], [2, 3, 4], "position, chunks, bytes")
      var chunks: [[UInt8]] = []
      try journal.forEachChunk(of: info) { chunks.append($0) }
      try expect(chunks, [[1, 2, 3], [], [4]], "the chunks")
      try expect(.snapshotAbandoned, "a further chunk") { try journal.appendSnapshotChunk([5], to: ticket) }
      try expect(.snapshotAbandoned, "a second completion") { _ = try journal.completeSnapshot(ticket) }
    },
    Check("pruning removes what the snapshot covers, and the log goes on") { open in
      let journal = try open()
      try journal.prune()
      var head = try journal.appendBatches(5, after: try journal.acquire())
      let first = try journal.completeSnapshot(try journal.beginSnapshot(at: 3))
      try journal.prune()
      try expect(.pruned, "all batches") { _ = try journal.allBatches() }
      try expect(journal.allBatches(after: 3).map(\.firstPosition), [4, 5], "the batches after the first snapshot")

      let second = try journal.completeSnapshot(try journal.beginSnapshot(at: 5))
      try journal.prune()
      try expect(.pruned, "the batches after the first snapshot") { _ = try journal.allBatches(after: 3) }
      try expect((try? journal.snapshotChunk(0, of: first)) == nil, true, "the first snapshot is gone")
      try expect(journal.currentSnapshot(), second, "the snapshot")
      try expect(second.runningHash, head.runningHash, "the snapshot's running hash")

      head = try journal.appendBatches(1, after: head)
      try expect(journal.allBatches(after: 5).map(\.firstPosition), [6], "the batches after the second snapshot")
      try expect(journal.acquire().position, 6, "the next owner's position")
    },
    Check("a snapshot stands only where a batch ends") { open in
      let journal = try open()
      var head = try journal.acquire()
      _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 0))
      head = try journal.append(.following(head, commits: 4), after: head)
      for position in [Int64(1), 3, 5, -1, .max, .min] {
        try expect(.positionMismatch, "a snapshot at \(position)") { _ = try journal.beginSnapshot(at: position) }
      }
      _ = try journal.completeSnapshot(try journal.beginSnapshot(at: 4))
      try journal.prune()
      try expect(.positionMismatch, "a snapshot before the current one") { _ = try journal.beginSnapshot(at: 0) }
      let again = try journal.completeSnapshot(try journal.beginSnapshot(at: 4))
      try expect(again.runningHash, head.runningHash, "the running hash where the current one stands")
    },
    Check("a later snapshot ends an earlier one that is not complete") { open in
      let journal = try open()
      _ = try journal.appendBatches(2, after: try journal.acquire())
      let first = try journal.beginSnapshot(at: 1)
      try journal.appendSnapshotChunk([1], to: first)
      let second = try journal.beginSnapshot(at: 2)
      try expect(.snapshotAbandoned, "a chunk of the first") { try journal.appendSnapshotChunk([2], to: first) }
      try journal.abandonSnapshot(first)
      try journal.appendSnapshotChunk([3], to: second)
      try expect(journal.completeSnapshot(second).chunkCount, 1, "chunks of the second")
      let third = try journal.beginSnapshot(at: 2)
      try journal.abandonSnapshot(third)
      try expect(.snapshotAbandoned, "the third, which was given up") { _ = try journal.completeSnapshot(third) }
      try expect(journal.currentSnapshot()?.identifier, second.identifier, "the snapshot")
    },
    Check("a chunk may be as large as the limit and no larger") { open in
      let journal = try open()
      _ = try journal.acquire()
      let ticket = try journal.beginSnapshot(at: 0)
      let largest = [UInt8](repeating: 7, count: JournalLimits.snapshotChunkBytesMax)
      try journal.appendSnapshotChunk(largest, to: ticket)
      try expect(.tooLarge, "a larger chunk") { try journal.appendSnapshotChunk(largest + [7], to: ticket) }
      let info = try journal.completeSnapshot(ticket)
      try expect(info.chunkCount, 1, "the chunks")
      try expect(journal.snapshotChunk(0, of: info) == largest, true, "the largest chunk comes back")
    },
  ]
}
