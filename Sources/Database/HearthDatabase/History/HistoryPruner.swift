import HearthJournal
import Synchronization

/// Decides how much history to retain when a snapshot is complete.
final class HistoryPruner: Sendable {
  private struct State {
    /// The positions from which history is held, by the number of the hold.
    var holds: [UInt64: Int64] = [:]
    var lastHold: UInt64 = 0
    /// The log bytes between retained snapshots, by the position of the first: measured once.
    var logBytes: [Int64: (through: Int64, bytes: Int)] = [:]
    /// The parts of the log that stay for backups after checkpoints, each up to a position.
    var kept: [(through: Int64, bytes: Int)] = []
    /// The position before them.
    var lastUnneeded: Int64 = 0
    /// True when the operator was notified that the byte limit does not suffice for the age.
    var isShortened = false
  }

  /// The parts into which the log that stays for backups is divided at least.
  private static let keptPartsMin = 16

  private let retention: HistoryRetention
  private let state = Mutex(State())

  init(_ retention: HistoryRetention) { self.retention = retention }

  /// Retains all history from a position on until the hold is released.
  func hold(from position: Int64) -> HistoryHold {
    let number = state.withLock { state in
      state.lastHold += 1
      state.holds[state.lastHold] = position
      return state.lastHold
    }
    return HistoryHold { [weak self] in self?.state.withLock { _ = $0.holds.removeValue(forKey: number) } }
  }

  /// Removes expired history.
  ///
  /// - Parameters:
  ///   - last: The end of the log.
  ///   - nowMilliseconds: The time since 1970.
  ///   - checkpointLogBytes: The bytes of log before the checkpoint that stay for backups; nil for a journal without
  ///     checkpoints. One with checkpoints retains no history but what is held.
  /// - Returns: The new beginning of the history, when the byte limit has just become too small for the age; nil
  ///   otherwise.
  func prune(
    _ journal: any Journal, last: Int64, nowMilliseconds: Int64, checkpointLogBytes: Int?
  ) throws -> Int64? {
    var (wanted, shortened): (Int64, Int64?) = (.max, nil)
    if retention.ageMilliseconds > 0, checkpointLogBytes == nil {
      let cutoff = nowMilliseconds.subtractingReportingOverflow(retention.ageMilliseconds)
      let time = cutoff.overflow ? 0 : cutoff.partialValue
      // One position earlier, so that the commit itself stays in the log and its time is known.
      wanted = max(0, (try HistoryTimes(journal).position(atMilliseconds: time, last: last) ?? 0) - 1)
      let affordable = try oldestAffordable(journal)
      let base = try journal.snapshots().last { $0.position <= wanted }?.position ?? 0
      // With an unlimited age only the byte limit is meant to apply, so nothing is reported.
      if note(isShortened: affordable > base && retention.ageMilliseconds < .max) { shortened = affordable }
      wanted = max(wanted, affordable)
    }
    let held = state.withLock { $0.holds.values.min() } ?? .max
    if let checkpointLogBytes, let checkpoint = try journal.currentCheckpoint() {
      let last = try lastUnneeded(journal, before: checkpoint, keptBytes: checkpointLogBytes)
      try journal.prune(keepingFrom: min(wanted, held), batchesThrough: last)
    } else {
      try journal.prune(keepingFrom: min(wanted, held))
    }
    return shortened
  }

  /// Returns the last position whose batch need not stay for backups: the log after it, up to a checkpoint, has at least
  /// so many bytes.
  private func lastUnneeded(
    _ journal: any Journal, before checkpoint: Checkpoint, keptBytes: Int
  ) throws(JournalError) -> Int64 {
    let known = state.withLock { $0.kept.last?.through ?? 0 }
    guard known < checkpoint.position else { return state.withLock(\.lastUnneeded) }
    let bytes = try journal.logBytes(after: known, through: checkpoint.position)
    return state.withLock { state in
      if let last = state.kept.last, last.bytes + bytes <= keptBytes / Self.keptPartsMin {
        state.kept[state.kept.count - 1] = (checkpoint.position, last.bytes + bytes)
      } else {
        state.kept.append((checkpoint.position, bytes))
      }
      var sizeBytes = state.kept.reduce(0) { $0 + $1.bytes }
      while let first = state.kept.first, state.kept.count > 1, sizeBytes - first.bytes >= keptBytes {
        sizeBytes -= first.bytes
        state.lastUnneeded = first.through
        state.kept.removeFirst()
      }
      return state.lastUnneeded
    }
  }

  /// - Returns: True when the value changed to true.
  private func note(isShortened: Bool) -> Bool {
    state.withLock { state in
      defer { state.isShortened = isShortened }
      return isShortened && !state.isShortened
    }
  }

  /// Returns the position of the oldest snapshot from which on the history fits the byte limit; 0 when the whole log
  /// does.
  private func oldestAffordable(_ journal: any Journal) throws -> Int64 {
    let snapshots = try journal.snapshots()
    guard let current = snapshots.last else { return 0 }
    var (next, sizeBytes) = (current.position, 0)
    for snapshot in snapshots.dropLast().reversed() {
      sizeBytes += snapshot.sizeBytes + (try logBytes(journal, after: snapshot.position, through: next))
      guard sizeBytes <= retention.sizeBytesMax else { return next }
      next = snapshot.position
    }
    guard try journal.oldestPosition() == 0, next > 0 else { return next }
    sizeBytes += try logBytes(journal, after: 0, through: next)
    return sizeBytes <= retention.sizeBytesMax ? 0 : next
  }

  private func logBytes(_ journal: any Journal, after position: Int64, through last: Int64) throws -> Int {
    if let known = state.withLock({ $0.logBytes[position] }), known.through == last { return known.bytes }
    let bytes = try journal.logBytes(after: position, through: last)
    state.withLock { state in
      // More snapshots than this cannot lie within the age; older measurements are obsolete.
      if state.logBytes.count > 4_096 { state.logBytes = [:] }
      state.logBytes[position] = (last, bytes)
    }
    return bytes
  }
}

/// A hold that keeps a part of a database's history from being pruned while it is read.
public final class HistoryHold: Sendable {
  private let release: Mutex<(@Sendable () -> Void)?>

  init(_ release: @escaping @Sendable () -> Void) { self.release = Mutex(release) }

  deinit { end() }

  /// Releases the hold. A second call has no effect.
  public func end() {
    let release = release.withLock { release in
      defer { release = nil }
      return release
    }
    release?()
  }
}
