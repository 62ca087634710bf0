import HearthJournal
import HearthPages
import Synchronization

/// Decides how much history to retain when a snapshot or checkpoint is complete.
final class HistoryPruner: Sendable {
  private struct State {
    /// The positions from which history is held, by the number of the hold.
    var holds: [UInt64: Int64] = [:]
    var lastHold: UInt64 = 0
    /// The numbers of the segments that retained checkpoints name, by the position of the checkpoint.
    var segments: [Int64: [Int]] = [:]
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

  /// The number of newest checkpoints among which some are not retained: more are left by a crash at most.
  private static let thinnedCount = 8

  private let limits: DatabaseLimits
  private var retention: HistoryRetention { limits.history }
  private let state = Mutex(State())

  init(_ limits: DatabaseLimits) { self.limits = limits }

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
  ///     checkpoints.
  ///   - releasedBytes: The bytes of the segments that stay for older checkpoints alone, by number.
  /// - Returns: The new beginning of the history, when the byte limit has just become too small for the age; nil
  ///   otherwise.
  func prune(
    _ journal: any Journal, last: Int64, nowMilliseconds: Int64, checkpointLogBytes: Int?,
    releasedBytes: [Int: Int] = [:]
  ) throws -> Int64? {
    var (wanted, shortened): (Int64, Int64?) = (.max, nil)
    if retention.ageMilliseconds > 0 {
      let cutoff = nowMilliseconds.subtractingReportingOverflow(retention.ageMilliseconds)
      let time = cutoff.overflow ? 0 : cutoff.partialValue
      // One position earlier, so that the commit itself stays in the log and its time is known.
      wanted = max(0, (try HistoryTimes(journal).position(atMilliseconds: time, last: last) ?? 0) - 1)
      let affordable = try oldestAffordable(journal, releasedBytes)
      let base = try journal.historyStarts().last { $0.position <= wanted }?.position ?? journal.oldestPosition()
      // With an unlimited age only the byte limit is meant to apply, so nothing is reported.
      if note(isShortened: affordable > base && retention.ageMilliseconds < .max) { shortened = affordable }
      wanted = max(wanted, affordable)
    }
    let held = state.withLock { $0.holds.values.min() } ?? .max
    if let checkpointLogBytes, let checkpoint = try journal.currentCheckpoint() {
      let last = try lastUnneeded(journal, before: checkpoint, keptBytes: checkpointLogBytes)
      try journal.prune(keepingFrom: min(wanted, held), batchesThrough: last)
      try thin(journal)
    } else {
      try journal.prune(keepingFrom: min(wanted, held))
    }
    return shortened
  }

  /// Removes checkpoints between which there is little log: checkpoints are frequent, and each one keeps pages.
  private func thin(_ journal: any Journal) throws {
    let positions = try journal.checkpointPositions().suffix(Self.thinnedCount)
    guard var kept = positions.first else { return }
    for (position, next) in zip(positions.dropFirst(), positions.dropFirst(2)) {
      if try isFar(from: kept, to: next, in: journal) {
        kept = position
      } else {
        try journal.removeCheckpoint(at: position)
      }
    }
  }

  /// Returns true when a checkpoint is to be retained between two others.
  private func isFar(from position: Int64, to next: Int64, in journal: any Journal) throws -> Bool {
    if try logBytes(journal, after: position, through: next) > limits.snapshotIntervalBytes { return true }
    let times = HistoryTimes(journal)
    // The time of the first commit that the earlier one does not have: its own commit may be pruned.
    guard let first = try times.milliseconds(of: position + 1), let last = try times.milliseconds(of: next) else {
      return true
    }
    return last - first >= limits.historyIntervalMilliseconds
  }

  /// Drops what is known of checkpoints, because some were replaced.
  func forgetCheckpoints() { state.withLock { $0.segments = [:] } }

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

  /// Returns the position of the oldest snapshot or checkpoint from which on the history fits the byte limit; 0 when the
  /// whole log does.
  private func oldestAffordable(_ journal: any Journal, _ releasedBytes: [Int: Int]) throws -> Int64 {
    let starts = try journal.historyStarts()
    guard let current = starts.last else { return 0 }
    var (next, sizeBytes, releasedBytes) = (current.position, 0, releasedBytes)
    for start in starts.dropLast().reversed() {
      switch start {
      case .snapshot(let info): sizeBytes += info.sizeBytes
      case .checkpoint(let position):
        // Each segment counts for the newest checkpoint that names it.
        for number in try segments(of: position, in: journal) {
          sizeBytes += releasedBytes.removeValue(forKey: number) ?? 0
        }
      }
      sizeBytes += try logBytes(journal, after: start.position, through: next)
      guard sizeBytes <= retention.sizeBytesMax else { return next }
      next = start.position
    }
    guard try journal.oldestPosition() == 0, next > 0 else { return next }
    sizeBytes += try logBytes(journal, after: 0, through: next)
    return sizeBytes <= retention.sizeBytesMax ? 0 : next
  }

  /// Returns the numbers of the segments that an older checkpoint names.
  private func segments(of position: Int64, in journal: any Journal) throws -> [Int] {
    if let known = state.withLock({ $0.segments[position] }) { return known }
    guard let checkpoint = try journal.checkpoint(at: position) else { return [] }
    let segments = try PageCheckpoint(checkpoint.payload).extent.segments.map(\.number)
    state.withLock { state in
      // More checkpoints than this are hardly retained; older ones are obsolete.
      if state.segments.count > 1_024 { state.segments = [:] }
      state.segments[position] = segments
    }
    return segments
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
