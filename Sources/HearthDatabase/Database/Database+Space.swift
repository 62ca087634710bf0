import HearthEngine
import HearthJournal

/// Little room on the disk: what is left is kept for administrators. Whoever looks at the disk says when.
extension Database {
  /// Whether changes are refused, since there is little room on the disk, but for what administrators remove and for rules.
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

  /// Writes a snapshot when what is there now is so much less than the log and the last snapshot hold that this makes room
  /// in the journal's file: after much was removed. Goes through all of the data, once for each position; what it writes,
  /// it writes beside commits.
  ///
  /// - Parameter sizeBytesMax: What the snapshot may take.
  public func makeRoom(sizeBytesMax: Int) {
    let state = published
    guard lowSpace.look(at: state.position), !state.hasOpenPieces else { return }
    let sizeBytes = state.root.heldBytes(upTo: sizeBytesMax)
    guard sizeBytes <= sizeBytesMax else { return }
    let isDue = pipeline.withLock { line in
      let storedBytes = line.bytesSinceSnapshot + line.snapshotBytes
      guard line.status == .running, !line.isWritingSnapshot, line.bytesSinceSnapshot > 0,
        storedBytes / 2 >= max(sizeBytes, limits.snapshotIntervalBytes / 16)
      else { return false }
      line.isWritingSnapshot = true
      return true
    }
    if isDue { snapshotQueue.async { self.writeSnapshot(state) } }
  }
}
