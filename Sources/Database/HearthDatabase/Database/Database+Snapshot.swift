import HearthEngine
import HearthJournal

/// The snapshot queue: a durable version, written beside the log while commits go on.
extension Database {
  /// The reason why a snapshot is given up.
  enum Interruption: Error {
    /// The database closes, or nobody waits for it.
    case closing
    /// There is not enough room.
    case noRoom(Int)
  }

  /// - Parameter members: see ``FollowedEvent/snapshot(members:)``; nil for a database with a log of its own.
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

  /// - Parameter isCancelled: whether nobody waits for it any more.
  /// - Throws: ``Interruption``, after which nothing of it is left.
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

  /// What a snapshot may take. Goes through the data, as far as that, when it is less than the snapshot may come to.
  ///
  /// - Throws: ``Interruption`` when that is too little.
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

  /// Has the next start replay little, as far as there is time. Waits for a snapshot that is under way already.
  func writeLastSnapshot(endingAt end: Int64) {
    let state = published
    let isDue = pipeline.withLock { line in
      line.snapshots.endMonotonicMilliseconds = end
      guard line.status == .running, !state.hasOpenPieces, line.snapshots.isDueAtEnd(limits) else { return false }
      return line.snapshots.begin()
    }
    snapshotQueue.sync { if isDue { writeSnapshot(state) } }
  }

  /// Removes what neither a restart needs nor anybody wants to look back to.
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

  /// Has nothing of the past removed from a position on, for as long as the hold lasts. What is gone already stays so.
  public func holdHistory(from position: Int64) -> HistoryHold { keeper.hold(from: position) }
}
