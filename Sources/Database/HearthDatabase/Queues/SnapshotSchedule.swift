/// The schedule of a database's snapshots: one is due when replaying the log at a restart would take about as long as
/// loading the snapshot, and there is free space. A failed attempt is repeated when there is more log, or more space.
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
    /// The snapshot failed, for a reason other than its size.
    case failed
    /// The snapshot would have exceeded the allowed bytes.
    case tooLarge(roomBytes: Int)
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

  init(log: Log, snapshotBytes: Int) { (self.log, self.snapshotBytes) = (log, snapshotBytes) }

  // MARK: Due times

  /// Returns true when the next snapshot is due.
  func isDue(_ limits: DatabaseLimits) -> Bool {
    let interval = interval(limits)
    guard let last else { return weight(limits) > interval }
    let isShort = last.roomBytes != nil
    return weight(limits) - last.weight > (isShort ? Self.retryBytes(limits) : interval)
  }

  /// Returns true when a snapshot is worth its time while the database closes: the next start would replay for long,
  /// and writing the data takes little time.
  func isDueAtEnd(_ limits: DatabaseLimits) -> Bool {
    log.bytes + log.batchCount * limits.replayBytesPerBatch > max(limits.closingLogBytes, snapshotBytes / 8)
      && estimatedBytes <= limits.closingSnapshotBytesMax
  }

  /// Returns the log that a restart replays, in snapshot bytes that load in the same time. When history is retained,
  /// which keeps old snapshots, only the log's bytes count, so that fewer snapshots are written.
  private func weight(_ limits: DatabaseLimits) -> Int {
    log.bytes + (limits.history.ageMilliseconds > 0 ? 0 : log.batchCount * limits.replayBytesPerBatch)
  }

  private func interval(_ limits: DatabaseLimits) -> Int { max(limits.snapshotIntervalBytes, snapshotBytes) }

  /// Returns the additional log or room that justifies another attempt after one that had too few bytes.
  private static func retryBytes(_ limits: DatabaseLimits) -> Int { limits.snapshotIntervalBytes / 4 }

  // MARK: Room

  /// The approximate total bytes of the next or the current snapshot, on the high side: it assumes that no value was
  /// replaced.
  var estimatedBytes: Int { snapshotBytes + (isWriting ? covered : log).bytes }

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
  mutating func appended(_ sizeBytes: Int) {
    log.bytes += sizeBytes
    log.batchCount += 1
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
    case .written(let sizeBytes):
      log.bytes -= covered.bytes
      log.batchCount -= covered.batchCount
      (snapshotBytes, last, isShortageReported) = (sizeBytes, nil, false)
      return false
    case .failed:
      last = Attempt(weight: weight(limits))
      return false
    case .tooLarge(let roomBytes):
      last = Attempt(weight: weight(limits), roomBytes: roomBytes)
      defer { isShortageReported = true }
      return !isShortageReported
    }
  }
}
