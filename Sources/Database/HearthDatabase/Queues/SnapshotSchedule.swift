/// The schedule of a database's snapshots: one is due when replaying the log at a restart would take about as long as
/// loading the snapshot, and there is free space. A failed attempt is repeated when there is more log, or more space.
///
/// The checkpoints of a database with pages are scheduled likewise, by the time of the replay alone, with a pause after
/// each; on a quiet database they are written before they are due.
struct SnapshotSchedule: Sendable {
  /// The size of a part of the log.
  struct Log: Sendable, Equatable {
    /// The bytes of its records.
    var bytes = 0
    /// The number of batches.
    var batchCount = 0
    /// The number of commits.
    var commitCount = 0
  }

  /// The outcome of a snapshot.
  enum Outcome {
    /// The snapshot is complete, with this size.
    case written(sizeBytes: Int)
    /// The checkpoint is complete. It wrote so many bytes, in the time between these on the monotonic clock.
    case checkpointed(sizeBytes: Int, begin: Int64, end: Int64)
    /// The snapshot failed, for a reason other than its size.
    case failed
    /// The snapshot was given up before anything was written. It changes nothing about when the next one is due.
    case abandoned
    /// The snapshot would have exceeded the allowed bytes.
    case tooLarge(roomBytes: Int)
  }

  /// The bytes of new indexes in memory: see ``StoredIndexes/addedBytes``.
  struct IndexBytes: Sendable, Equatable {
    /// Those of the newest version.
    var added = 0
    /// Those of the version of the last checkpoint.
    var stored = 0
  }

  /// The last complete checkpoint.
  struct Checkpoint: Sendable, Equatable {
    /// The bytes of pages that it wrote.
    var sizeBytes = 0
    /// Its duration.
    var milliseconds: Int64 = 0
  }

  /// A failed attempt.
  private struct Attempt {
    /// The weight of the log at that time.
    var weight: Int
    /// The allowed bytes, which did not suffice; nil after any other failure.
    var roomBytes: Int?
  }

  /// The log after the last snapshot.
  private(set) var log: Log
  /// The bytes of the last snapshot; 0 before the first.
  private(set) var snapshotBytes: Int
  private(set) var isWriting = false
  /// True for a database with pages, which has checkpoints instead of snapshots.
  private(set) var isPaged: Bool
  /// The part of the log whose pages were stored before a checkpoint: see ``Recovery/storedLog``.
  private var storedLog: Log
  /// The indexes that were built since the database was opened.
  var indexBytes = IndexBytes()
  /// The last checkpoint since the database was opened.
  private(set) var lastCheckpoint = Checkpoint()
  /// The bytes that the last checkpoints wrote for 256 bytes of ``pageBytes(of:)``, which assumes that no page was
  /// changed twice.
  private var writtenPer256 = 256
  /// The time of the earliest timer for a checkpoint of a quiet database, on the monotonic clock.
  private var timerTime: Int64?
  /// The times of the last append, of the last checkpoint, and of the end of the pause after it.
  private var appendTime: Int64 = 0
  private var checkpointTime: Int64 = 0
  private var pauseEnd = Int64.min
  /// The deadline of the current snapshot and of any later one, on the monotonic clock.
  var endMonotonicMilliseconds: Int64?
  /// The most bytes for snapshots, as last set by ``setRoom(_:_:)``.
  private var roomBytes = Int.max
  /// The bytes that the current snapshot may take in addition to ``roomBytes``.
  private var reserveBytes = 0
  /// The log that the current snapshot makes unnecessary.
  private var covered = Log()
  /// The bytes written by the current snapshot.
  private var writtenBytes = 0
  private var last: Attempt?
  /// True when the operator was notified that the room does not suffice.
  private var isShortageReported = false

  init(log: Log, snapshotBytes: Int, isPaged: Bool = false, storedLog: Log = Log()) {
    (self.log, self.snapshotBytes, self.isPaged, self.storedLog) = (log, snapshotBytes, isPaged, storedLog)
  }

  // MARK: Due times

  /// Returns true when the next snapshot is due.
  ///
  /// - Parameters:
  ///   - now: The time on the monotonic clock.
  ///   - isNeeded: True when many pages in memory are not stored: one is due at once, unless the last one has failed.
  func isDue(_ limits: DatabaseLimits, at now: Int64 = 0, isNeeded: Bool = false) -> Bool {
    if isNeeded, last == nil { return true }
    if isPaged, now < pauseEnd { return false }
    let interval = interval(limits)
    guard let last else { return weight(limits) > interval }
    let isShort = last.roomBytes != nil
    return weight(limits) - last.weight > (isShort ? Self.retryBytes(limits) : interval)
  }

  /// True when the last attempt has failed.
  var hasFailed: Bool { last != nil }

  /// Returns true when a snapshot is worth its time while the database closes: the next start would replay for long,
  /// and writing the data takes little time.
  func isDueAtEnd(_ limits: DatabaseLimits) -> Bool {
    if isPaged { return hasUnstored }
    return log.bytes + log.batchCount * limits.replayBytesPerBatch > max(limits.closingLogBytes, snapshotBytes / 8)
      && estimatedBytes <= limits.closingSnapshotBytesMax
  }

  /// Returns the log that a restart replays, in snapshot bytes that load in the same time. When history is retained,
  /// which keeps old snapshots, only the log's bytes count, so that fewer snapshots are written.
  private func weight(_ limits: DatabaseLimits) -> Int {
    if isPaged { return log.bytes + log.commitCount * limits.coldReplayBytesPerCommit }
    return log.bytes + (limits.history.ageMilliseconds > 0 ? 0 : log.batchCount * limits.replayBytesPerBatch)
  }

  /// Returns the time, on the monotonic clock, at which a checkpoint is written if there is no further commit; nil when
  /// there is nothing to write, or the last attempt has failed.
  func quietTime(_ limits: DatabaseLimits) -> Int64? {
    guard isPaged, !isWriting, last == nil, hasUnstored else { return nil }
    let time = max(appendTime + limits.quietCheckpointMilliseconds, pauseEnd)
    if log.commitCount >= limits.quietCheckpointCommitsMin { return time }
    return max(time, checkpointTime + limits.quietCheckpointIntervalMilliseconds)
  }

  /// Returns the time at which a timer is to be set for ``quietTime(_:)``; nil when there is an earlier timer.
  mutating func setTimer(_ limits: DatabaseLimits) -> Int64? {
    guard let time = quietTime(limits), time < timerTime ?? .max else { return nil }
    timerTime = time
    return time
  }

  /// Records that a timer has fired.
  mutating func timerFired(_ time: Int64) { if timerTime == time { timerTime = nil } }

  /// True when a checkpoint would store something.
  private var hasUnstored: Bool { log.commitCount > 0 || indexBytes.added > indexBytes.stored }

  private func interval(_ limits: DatabaseLimits) -> Int { max(limits.snapshotIntervalBytes, snapshotBytes) }

  /// Returns the additional log or room that justifies another attempt after one that had too few bytes.
  private static func retryBytes(_ limits: DatabaseLimits) -> Int { limits.snapshotIntervalBytes / 4 }

  // MARK: Room

  /// The approximate total bytes of the next or the current snapshot, on the high side: it assumes that no value was
  /// replaced. For a checkpoint, that every commit changed a page of its own.
  var estimatedBytes: Int {
    let log = isWriting ? covered : log
    return isPaged ? Self.pageBytes(of: log) + unstoredIndexBytes : snapshotBytes + log.bytes
  }

  /// The approximate bytes of the pages in memory that no checkpoint has stored; 0 for a database without pages.
  var dirtyBytes: Int {
    guard isPaged else { return 0 }
    return max(0, Self.pageBytes(of: log) - Self.pageBytes(of: storedLog)) / 256 * writtenPer256 + unstoredIndexBytes
  }

  private var unstoredIndexBytes: Int { max(0, indexBytes.added - indexBytes.stored) }

  /// Returns the bytes of pages that a log changes, if it changes none twice.
  static func pageBytes(of log: Log) -> Int { log.bytes * 2 + log.commitCount * pageBytesPerCommit }

  /// The bytes that a checkpoint writes for a small commit: a page, and the branches above it.
  private static let pageBytesPerCommit = 4 << 10

  /// Returns the bytes still needed by the current snapshot, or by one that is soon due; 0 when there is none.
  func neededBytes(_ limits: DatabaseLimits) -> Int {
    if isWriting { return max(0, estimatedBytes - writtenBytes) }
    return last != nil || weight(limits) > interval(limits) / 2 ? estimatedBytes : 0
  }

  /// The bytes that the current snapshot may take.
  var allowedBytes: Int {
    let (sum, overflows) = roomBytes.addingReportingOverflow(reserveBytes)
    return overflows ? .max : sum
  }

  /// Sets the most bytes for snapshots from now on.
  ///
  /// - Returns: True when a snapshot that was too large is to be attempted again.
  mutating func setRoom(_ bytes: Int, _ limits: DatabaseLimits) -> Bool {
    roomBytes = max(0, bytes)
    guard !isWriting, let found = last?.roomBytes else { return false }
    return roomBytes - found >= max(1, Self.retryBytes(limits))
  }

  /// - Returns: True when `bytes` more may be written.
  mutating func take(_ bytes: Int) -> Bool {
    guard bytes <= allowedBytes else { return false }
    writtenBytes += bytes
    let reserved = min(bytes, reserveBytes)
    reserveBytes -= reserved
    if roomBytes < .max { roomBytes -= bytes - reserved }
    return true
  }

  // MARK: Progress

  /// Records an appended batch.
  ///
  /// - Parameter now: The time on the monotonic clock.
  mutating func appended(_ sizeBytes: Int, commitCount: Int = 0, at now: Int64 = 0) {
    log.bytes += sizeBytes
    log.batchCount += 1
    log.commitCount += commitCount
    appendTime = now
  }

  /// Begins a snapshot.
  ///
  /// - Parameter reserveBytes: The bytes that it may take in addition to ``roomBytes``.
  /// - Returns: False while another is being written.
  mutating func begin(reserveBytes: Int = 0) -> Bool {
    guard !isWriting else { return false }
    (isWriting, covered, writtenBytes, self.reserveBytes) = (true, log, 0, reserveBytes)
    return true
  }

  /// Ends the current snapshot.
  ///
  /// - Returns: True when the operator is to be notified that the space does not suffice.
  mutating func end(_ outcome: Outcome, _ limits: DatabaseLimits) -> Bool {
    (isWriting, reserveBytes) = (false, 0)
    switch outcome {
    case .checkpointed(let sizeBytes, let begin, let end):
      if isPaged { learn(sizeBytes) }
      (isPaged, checkpointTime) = (true, end)
      lastCheckpoint = Checkpoint(sizeBytes: sizeBytes, milliseconds: max(0, end - begin))
      pauseEnd = end + max(0, end - begin) * limits.checkpointPauseFactor
      return self.end(.written(sizeBytes: 0), limits)
    case .written(let sizeBytes):
      log.bytes -= covered.bytes
      log.batchCount -= covered.batchCount
      log.commitCount -= covered.commitCount
      (snapshotBytes, last, isShortageReported, storedLog) = (sizeBytes, nil, false, Log())
      return false
    case .abandoned: return false
    case .failed:
      last = Attempt(weight: weight(limits))
      return false
    case .tooLarge(let roomBytes):
      last = Attempt(weight: weight(limits), roomBytes: roomBytes)
      defer { isShortageReported = true }
      return !isShortageReported
    }
  }

  /// Adapts ``dirtyBytes`` to a checkpoint: at once when pages were changed once, slowly when they were changed often.
  private mutating func learn(_ sizeBytes: Int) {
    let estimate = Self.pageBytes(of: covered) / 256
    guard estimate > 0 else { return }
    writtenPer256 = min(256, max(sizeBytes / estimate, writtenPer256 / 2, 16))
  }
}
