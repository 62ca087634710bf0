import HearthEngine
import HearthJournal

/// The handling of low disk space: the remaining room is reserved for administrators. The disk monitor sets the state.
extension Database: SnapshotWriter {
  /// True while space is low and changes are refused, except removals by administrators and rules.
  public var isSpaceLow: Bool { lowSpace.isLow }

  /// Sets whether changes are refused as ``Failure/lowSpace``, except removals by administrators and rules. Commands
  /// submitted before may still be decided under the previous setting.
  public func setSpaceLow(_ isLow: Bool) {
    guard lowSpace.set(isLow) else { return }
    // Informs transactions that wait for their turn.
    submit([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
  }

  /// The free bytes inside the journal's file, which are used before the file grows; 0 when they cannot be read.
  public var reusableBytes: Int { (try? journal.reusableBytes()) ?? 0 }

  /// The bytes still needed by a snapshot that is under way or soon due, an estimate on the high side; 0 when none is.
  public var snapshotNeedBytes: Int { pipeline.withLock { $0.snapshots.neededBytes(limits) } }

  /// Limits snapshots to so many bytes from now on, of the disk and of the room inside the journal's file. A snapshot
  /// that takes more is abandoned, and retried when there is clearly more room or log.
  public func setSnapshotRoom(_ bytes: Int) {
    let state = published
    let isDue = pipeline.withLock { line in
      guard line.snapshots.setRoom(bytes, limits), line.status == .running, !state.hasOpenPieces else { return false }
      return line.snapshots.begin()
    }
    if isDue { snapshotQueue.async { self.writeSnapshot(state) } }
  }

  /// Writes a snapshot when the present data is so much smaller than the log and the last snapshot that this makes room
  /// in the journal's file: after large removals. Traverses all of the data, once for each position; writes beside
  /// commits.
  ///
  /// - Parameter sizeBytesMax: The most bytes for the snapshot, regardless of ``setSnapshotRoom(_:)``.
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
