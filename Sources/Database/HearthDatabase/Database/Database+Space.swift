import HearthEngine
import HearthJournal

/// Little room on the disk: what is left is kept for administrators. Whoever looks at the disk says when.
extension Database: SnapshotWriter {
  /// True when changes are refused, since there is little room on the disk, but for what administrators remove and for
  /// rules.
  public var isSpaceLow: Bool { lowSpace.isLow }

  /// Has changes be refused as ``Failure/lowSpace`` from now on, but for what administrators remove and for rules; or taken
  /// again. Commands that were handed over before may still be decided as before.
  public func setSpaceLow(_ isLow: Bool) {
    guard lowSpace.set(isLow) else { return }
    // Those who wait for their turn to write are told.
    submit([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
  }

  /// What of the journal's file holds nothing any more and is written to before the file grows, in bytes; 0 when it cannot
  /// be read.
  public var reusableBytes: Int { (try? journal.reusableBytes()) ?? 0 }

  /// What a snapshot still takes that is under way or soon due, roughly and rather too much, in bytes; 0 when none is.
  public var snapshotNeedBytes: Int { pipeline.withLock { $0.snapshots.neededBytes(limits) } }

  /// Has snapshots take no more than so many bytes from now on, of the disk and of the room inside the journal's file. One
  /// that takes more is given up, and tried again when there is clearly more room or log.
  public func setSnapshotRoom(_ bytes: Int) {
    let state = published
    let isDue = pipeline.withLock { line in
      guard line.snapshots.setRoom(bytes, limits), line.status == .running, !state.hasOpenPieces else { return false }
      return line.snapshots.begin()
    }
    if isDue { snapshotQueue.async { self.writeSnapshot(state) } }
  }

  /// Writes a snapshot when what is there now is so much less than the log and the last snapshot hold that this makes room
  /// in the journal's file: after much was removed. Goes through all of the data, once for each position; what it writes,
  /// it writes beside commits.
  ///
  /// - Parameter sizeBytesMax: What the snapshot may take, whatever ``setSnapshotRoom(_:)`` was told.
  public func makeRoom(sizeBytesMax: Int) {
    let state = published
    guard lowSpace.look(at: state.position), !state.hasOpenPieces else { return }
    let sizeBytes = state.root.heldBytes(upTo: sizeBytesMax)
    guard sizeBytes <= sizeBytesMax else { return }
    let isDue = pipeline.withLock { line in
      let storedBytes = line.snapshots.log.bytes + line.snapshots.snapshotBytes
      guard line.status == .running, line.snapshots.log.bytes > 0,
        storedBytes / 2 >= max(sizeBytes, limits.snapshotIntervalBytes / 16)
      else { return false }
      return line.snapshots.begin(reserveBytes: sizeBytesMax)
    }
    if isDue { snapshotQueue.async { self.writeSnapshot(state) } }
  }
}
