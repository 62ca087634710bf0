import HearthEngine
import HearthJournal

/// The snapshot queue: writes a durable version beside the log while commits go on.
extension Database {
  /// The reason for abandoning a snapshot.
  enum Interruption: Error {
    /// The database closes, or the caller has cancelled.
    case closing
    /// The room does not suffice.
    case noRoom(Int)
  }

  /// - Parameter members: See ``FollowedEvent/snapshot(members:)``; nil for a database with a log of its own.
  func writeSnapshot(_ state: Published, members: [UInt8]? = nil) {
    var outcome = SnapshotSchedule.Outcome.failed
    do {
      let info = try store(state, members: members)
      outcome = .written(sizeBytes: info.sizeBytes)
      environment.notice(.snapshotWritten(position: info.position, sizeBytes: info.sizeBytes))
      if !isTimeOver { prune() }
    } catch let interruption as Interruption {
      if case .noRoom(let roomBytes) = interruption { outcome = .tooLarge(roomBytes: roomBytes) }
    } catch let error as JournalError {
      environment.notice(.snapshotFailed(error))
    } catch {
      environment.notice(.snapshotFailed(JournalError(.failed, "\(error)")))
    }
    let isShortageNews = pipeline.withLock { $0.snapshots.end(outcome, limits) }
    if isShortageNews, case .tooLarge(let roomBytes) = outcome {
      environment.notice(.snapshotTooLarge(roomBytes: roomBytes))
    }
  }

  /// - Parameter isCancelled: Returns true when the caller no longer waits for the snapshot.
  /// - Throws: ``Interruption``, after which no part of the snapshot is left.
  func store(
    _ state: Published, members: [UInt8]? = nil, isCancelled: () -> Bool = { false }
  ) throws -> SnapshotInfo {
    let roomBytes = try room(for: state)
    let ticket = try journal.beginSnapshot(at: state.position)
    do {
      try SnapshotFormat.write(state, members: members, chunkBytes: JournalLimits.snapshotChunkBytes) { chunk in
        guard isRunning, !isTimeOver, !isCancelled() else { throw Interruption.closing }
        guard pipeline.withLock({ $0.snapshots.take(chunk.count) }) else { throw Interruption.noRoom(roomBytes) }
        try journal.appendSnapshotChunk(chunk, to: ticket)
      }
    } catch {
      try? journal.abandonSnapshot(ticket)
      throw error
    }
    return try journal.completeSnapshot(ticket)
  }

  /// Returns the bytes that a snapshot may take. When they are fewer than the estimated size, traverses the data, up to
  /// that many bytes.
  ///
  /// - Throws: ``Interruption`` when the room does not suffice.
  private func room(for state: Published) throws -> Int {
    let (roomBytes, estimatedBytes) = pipeline.withLock { ($0.snapshots.allowedBytes, $0.snapshots.estimatedBytes) }
    guard estimatedBytes > roomBytes, state.root.heldBytes(upTo: roomBytes) > roomBytes else { return roomBytes }
    throw Interruption.noRoom(roomBytes)
  }

  /// True when the database closes, and its time for snapshots is over.
  private var isTimeOver: Bool {
    pipeline.withLock { $0.snapshots.endMonotonicMilliseconds }.map {
      environment.clock().monotonicMilliseconds >= $0
    } ?? false
  }

  /// Shortens the replay of the next start, as far as time permits. Waits for a snapshot that is already under way.
  func writeLastSnapshot(endingAt end: Int64) {
    let state = published
    let isDue = pipeline.withLock { line in
      line.snapshots.endMonotonicMilliseconds = end
      guard line.status == .running, !state.hasOpenPieces, line.snapshots.isDueAtEnd(limits) else { return false }
      return line.snapshots.begin()
    }
    snapshotQueue.sync { if isDue { writeSnapshot(state) } }
  }

  /// Prunes the batches and snapshots that neither a restart nor the retained history needs.
  func pruneKept() throws {
    let shortened = try keeper.prune(
      journal, last: published.position, nowMilliseconds: environment.clock().wallMilliseconds)
    guard let shortened else { return }
    environment.notice(.historyShortened(oldestPosition: shortened, sizeBytesMax: limits.history.sizeBytesMax))
  }

  private func prune() {
    do {
      try pruneKept()
    } catch let error as JournalError {
      environment.notice(.pruningFailed(error))
    } catch {
      environment.notice(.pruningFailed(JournalError(.corrupt, "\(error)")))
    }
  }

  /// Keeps history from a position on from being pruned while the hold lasts. Pruned history stays pruned.
  public func holdHistory(from position: Int64) -> HistoryHold { keeper.hold(from: position) }
}
