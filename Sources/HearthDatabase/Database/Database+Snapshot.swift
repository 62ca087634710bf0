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
        prune()
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
    return try journal.completeSnapshot(ticket)
  }

  /// Removes what neither a restart needs nor anybody wants to look back to.
  private func prune() {
    do {
      let shortened = try keeper.prune(
        journal, last: published.position, nowMilliseconds: environment.clock().wallMilliseconds)
      if let shortened {
        environment.notice(
          .historyShortened(oldestPosition: shortened, sizeBytesMax: limits.history.sizeBytesMax))
      }
    } catch let error as JournalError {
      environment.notice(.pruningFailed(error))
    } catch {
      environment.notice(.pruningFailed(JournalError(.corrupt, "\(error)")))
    }
  }

  /// Has nothing of the past removed from a position on, for as long as the hold lasts. What is gone already stays so.
  public func holdHistory(from position: Int64) -> HistoryHold { keeper.hold(from: position) }
}
