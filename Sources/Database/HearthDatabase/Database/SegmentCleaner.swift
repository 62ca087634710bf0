import Dispatch
import HearthEngine
import HearthJournal
import HearthPages
import HearthTree
import Synchronization

/// The cleaning of a database's page files: segments with many dead records are emptied, by storing their live records
/// again, and removed. It runs on a queue of its own, beside the database's work.
final class SegmentCleaner: Sendable {
  private struct State {
    /// True while a cleaning that was due runs.
    var isDueRunning = false
    /// The bytes of live records that the last pass found, and the bytes of the data at that time.
    var known: (liveBytes: Int, dataBytes: Int)?
    /// The size of the files below which another pass would find no more than the last one.
    var fileBytesMin = 0
    /// The time before which a failed cleaning is not repeated.
    var retryTime = ContinuousClock.now
    var cleanedBytes = 0
    /// The number of cleanings that run, or wait for another one.
    var runningCount = 0
    /// See ``DatabaseFigures/pages``.
    var problem: String?
  }

  /// The bytes of a stored page's header and alignment, as a part of its content, and of the branches above it.
  private static let overheadShare = 8
  /// The time after which a failed cleaning is repeated.
  private static let retryDelay: Duration = .seconds(60)

  private let decider: CommandDecider
  private let limits: DatabaseLimits
  private let queue: DispatchQueue
  private let state = Mutex(State())
  private let isStopped = Atomic(false)
  private var snapshots: SnapshotStore { decider.writer.snapshots }

  init(of name: String, by decider: CommandDecider, _ limits: DatabaseLimits) {
    (self.decider, self.limits) = (decider, limits)
    queue = DispatchQueue(label: "hearth.clean.\(name)", qos: .utility)
  }

  /// True while a cleaning runs, and the reason why the last one ended early.
  var status: (isRunning: Bool, problem: String?) { state.withLock { ($0.runningCount > 0, $0.problem) } }

  /// The bytes of the files that were removed.
  var cleanedBytes: Int { state.withLock(\.cleanedBytes) }

  /// The estimated bytes of dead records, and of the space between records.
  var deadBytes: Int {
    guard let storage = snapshots.pagedStorage else { return 0 }
    return max(0, storage.counts.fileBytes - estimatedLiveBytes)
  }

  private var estimatedLiveBytes: Int {
    let dataBytes = Self.dataBytes(of: snapshots.durable.state)
    guard let known = state.withLock(\.known), known.dataBytes > 0 else {
      return dataBytes + dataBytes / Self.overheadShare
    }
    return Int(clamping: Int64(Double(known.liveBytes) / Double(known.dataBytes) * Double(dataBytes)))
  }

  private static func dataBytes(of state: DatabaseState) -> Int {
    state.root.heldBytes() + state.sessions.tree.heldBytes() + state.indexes.tree.heldBytes()
  }

  // MARK: Cleaning when it is due

  /// Begins a cleaning after a checkpoint when it is due.
  func checkpointWritten() {
    guard let storage = snapshots.pagedStorage, !isStopped.load(ordering: .relaxed) else { return }
    let (fileBytes, deadBytes) = (storage.counts.fileBytes, deadBytes)
    guard deadBytes >= limits.cleanedBytesMin, deadBytes * 100 > fileBytes * SegmentUse.deadPercentMax else { return }
    let isDue = state.withLock { state in
      guard !state.isDueRunning, fileBytes >= state.fileBytesMin, state.retryTime <= .now else { return false }
      state.isDueRunning = true
      return true
    }
    guard isDue else { return }
    begin(.due) { [weak self] in self?.state.withLock { $0.isDueRunning = false } }
  }

  /// Begins a cleaning, after those that run.
  func begin(_ goal: SegmentUse.Goal, ended: @escaping @Sendable () -> Void = {}) {
    state.withLock { $0.runningCount += 1 }
    queue.async { [weak self] in
      guard let self else { return }
      do {
        _ = try run(goal) { false }
      } catch {
        notice(error)
      }
      state.withLock { $0.runningCount -= 1 }
      ended()
    }
  }

  private func notice(_ error: any Error) {
    state.withLock { state in
      (state.retryTime, state.problem) = (.now + Self.retryDelay, "\(error)")
    }
    guard !isStopped.load(ordering: .relaxed), snapshots.batches.isRunning else { return }
    let error = (error as? PageError).map { JournalError($0) } ?? error as? JournalError
    decider.environment.notice(.cleaningFailed(error ?? JournalError(.failed, "the cleaning ended early")))
  }

  // MARK: Cleaning on order

  /// Cleans segments, after a cleaning that is under way. Blocks until their files are removed.
  ///
  /// - Parameter isCancelled: Polled regularly; true ends the cleaning early.
  func clean(_ goal: SegmentUse.Goal, _ isCancelled: () -> Bool) throws -> CleaningReport {
    try queue.sync { try run(goal, isCancelled) }
  }

  /// Completes a checkpoint of the newest version, after a cleaning that is under way.
  ///
  /// - Parameter isCancelled: Polled regularly; true ends the work early.
  func completeCheckpoint(_ isCancelled: () -> Bool) throws {
    guard let storage = snapshots.pagedStorage else { return }
    try queue.sync {
      try withoutActuallyEscaping(isCancelled) { isCancelled in
        var cleaning = SegmentCleaning(of: storage, by: decider, limits, isCancelled: isCancelled)
        _ = try cleaning.store()
      }
    }
  }

  /// Removes what branches contain of deleted data, before a cleaning that erases: see `Engine.forgetDeleted(_:)`.
  func forgetDeleted(_ places: [Path]) throws {
    guard decider.engine.withLock({ $0.forgetDeleted(places) }) else {
      throw JournalError(.inputOutput, "a page cannot be read; repeat the erasure after a restart")
    }
  }

  /// Ends the cleaning under way, and begins no more. Blocks until it has ended.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    queue.sync {}
  }

  private func run(_ goal: SegmentUse.Goal, _ isCancelled: () -> Bool) throws -> CleaningReport {
    try withoutActuallyEscaping(isCancelled) { isCancelled in
      try run(goal) { self.isStopped.load(ordering: .relaxed) || isCancelled() }
    }
  }

  private func run(_ goal: SegmentUse.Goal, until isCancelled: @escaping () -> Bool) throws -> CleaningReport {
    guard let storage = snapshots.pagedStorage else { return CleaningReport() }
    let (notice, begin) = (decider.environment.notice, ContinuousClock.now)
    notice(.cleaningBegun(deadBytes: deadBytes))
    state.withLock { $0.problem = nil }
    var cleaning = SegmentCleaning(of: storage, by: decider, limits, isCancelled: isCancelled)
    snapshots.isCleaning.store(true, ordering: .releasing)
    defer {
      snapshots.isCleaning.store(false, ordering: .releasing)
      let (cleaned, use) = (cleaning.report.removedBytes, cleaning.use)
      let (dataBytes, fileBytes) = (Self.dataBytes(of: snapshots.durable.state), storage.counts.fileBytes)
      state.withLock { state in
        state.cleanedBytes += cleaned
        if let use { state.known = (use.totalBytes, dataBytes) }
        state.fileBytesMin = fileBytes + max(limits.cleanedBytesMin, fileBytes / 10)
      }
    }
    try cleaning.run(goal)
    let (seconds, attoseconds) = (ContinuousClock.now - begin).components
    notice(
      .cleaningEnded(
        removedBytes: cleaning.report.removedBytes, storedBytes: cleaning.report.storedBytes,
        milliseconds: seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    return cleaning.report
  }
}

/// The result of a cleaning of page files.
public struct CleaningReport: Sendable, Equatable {
  /// The bytes of the removed files.
  public var removedBytes = 0
  /// The bytes of live records that were stored again.
  public var storedBytes = 0
  /// The bytes of the files in use afterwards.
  public var fileBytes = 0
}
