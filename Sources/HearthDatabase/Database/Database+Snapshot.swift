import HearthEngine
import HearthJournal

/// The snapshot queue: a durable version, written beside the log while commits go on.
extension Database {
  private struct Stopped: Error {}

  func writeSnapshot(_ state: Published) {
    // What is appended from here on is not in the snapshot; what was before is counted off when it is complete.
    let coveredBytes = pipeline.withLock { $0.bytesSinceSnapshot }
    var snapshotBytes: Int?
    do {
      if let info = try store(state) {
        snapshotBytes = info.sizeBytes
        environment.notice(.snapshotWritten(position: info.position, sizeBytes: info.sizeBytes))
      }
    } catch let error as JournalError {
      environment.notice(.snapshotFailed(error))
    } catch {
      environment.notice(.snapshotFailed(JournalError(.failed, "\(error)")))
    }
    pipeline.withLock { line in
      // After a failure too: the next attempt comes after as many bytes again.
      line.bytesSinceSnapshot -= coveredBytes
      if let snapshotBytes { line.snapshotBytes = snapshotBytes }
      line.isWritingSnapshot = false
    }
  }

  /// nil when the database is closed before the snapshot is complete.
  private func store(_ state: Published) throws -> SnapshotInfo? {
    let ticket = try journal.beginSnapshot(at: state.position)
    do {
      try SnapshotFormat.write(state, chunkBytes: JournalLimits.snapshotChunkBytes) { chunk in
        guard pipeline.withLock({ $0.status == .running }) else { throw Stopped() }
        try journal.appendSnapshotChunk(chunk, to: ticket)
      }
    } catch {
      try? journal.abandonSnapshot(ticket)
      if error is Stopped { return nil }
      throw error
    }
    let info = try journal.completeSnapshot(ticket)
    try journal.prune()
    return info
  }
}
