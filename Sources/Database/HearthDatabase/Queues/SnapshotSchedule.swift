/// When a database writes a snapshot of itself: as soon as a restart would replay for about as long as it loads, and there is
/// room for it. What was tried for nothing is tried again when more of the log is there, or more room.
struct SnapshotSchedule: Sendable {
  /// A part of the log.
  struct Log: Sendable, Equatable {
    /// Of its records.
    var bytes = 0
    /// Appends that share one sync each.
    var batchCount = 0
  }

  /// What became of a snapshot.
  enum Outcome {
    /// It is complete, and so large.
    case written(sizeBytes: Int)
    /// Nobody can say when it is better to try.
    case failed
    /// It would have taken more room than there was.
    case tooLarge(roomBytes: Int)
  }

  /// An attempt that came to nothing.
  private struct Attempt {
    /// Of the log then.
    var weight: Int
    /// What it found too little; nil when it failed otherwise.
    var roomBytes: Int?
  }

  /// What comes after the last snapshot.
  private(set) var log: Log
  /// Of the last snapshot; 0 before the first.
  private(set) var snapshotBytes: Int
  private(set) var isWriting = false
  /// When the one under way, and any after it, is given up, on the monotonic clock.
  var endMonotonicMilliseconds: Int64?
  /// What snapshots may take, as was said last.
  private var roomBytes = Int.max
  /// What the one under way may take beside that.
  private var reserveBytes = 0
  /// What the one under way makes unneeded.
  private var covered = Log()
  /// Of the one under way.
  private var writtenBytes = 0
  private var last: Attempt?
  /// The operator knows that there is too little room.
  private var isShortageTold = false

  init(log: Log, snapshotBytes: Int) { (self.log, self.snapshotBytes) = (log, snapshotBytes) }

  // MARK: When

  /// Returns true when the next one is to be written.
  func isDue(_ limits: DatabaseLimits) -> Bool {
    let interval = interval(limits)
    guard let last else { return weight(limits) > interval }
    let isShort = last.roomBytes != nil
    return weight(limits) - last.weight > (isShort ? Self.retryBytes(limits) : interval)
  }

  /// Returns true when one is worth the time that it takes while the database closes: the next start would replay for
  /// long, and the data is soon written.
  func isDueAtEnd(_ limits: DatabaseLimits) -> Bool {
    log.bytes + log.batchCount * limits.replayBytesPerBatch > max(limits.endLogBytes, snapshotBytes / 8)
      && estimatedBytes <= limits.endSnapshotBytesMax
  }

  /// What a restart replays, in bytes of a snapshot that load in the same time. Where the past is kept, snapshots are kept
  /// with it, and not more of them are written than its bytes are worth.
  private func weight(_ limits: DatabaseLimits) -> Int {
    log.bytes + (limits.history.ageMilliseconds > 0 ? 0 : log.batchCount * limits.replayBytesPerBatch)
  }

  private func interval(_ limits: DatabaseLimits) -> Int { max(limits.snapshotIntervalBytes, snapshotBytes) }

  /// More log, or more room, by which another attempt is worth it after one that found too little room.
  private static func retryBytes(_ limits: DatabaseLimits) -> Int { limits.snapshotIntervalBytes / 4 }

  // MARK: Room

  /// What the next one takes, or the one under way in all, roughly and rather too much: as if nothing had been replaced.
  var estimatedBytes: Int { snapshotBytes + (isWriting ? covered : log).bytes }

  /// What is still to be taken by the one under way, or by one that is soon due; 0 when none is.
  func neededBytes(_ limits: DatabaseLimits) -> Int {
    if isWriting { return max(0, estimatedBytes - writtenBytes) }
    return last != nil || weight(limits) > interval(limits) / 2 ? estimatedBytes : 0
  }

  /// What the one under way may still take.
  var allowedBytes: Int {
    let (sum, overflows) = roomBytes.addingReportingOverflow(reserveBytes)
    return overflows ? .max : sum
  }

  /// Has snapshots take no more than that from now on.
  ///
  /// - Returns: Whether one that found too little room is to be tried again.
  mutating func setRoom(_ bytes: Int, _ limits: DatabaseLimits) -> Bool {
    roomBytes = max(0, bytes)
    guard !isWriting, let found = last?.roomBytes else { return false }
    return roomBytes - found >= max(1, Self.retryBytes(limits))
  }

  /// - Returns: Whether so many bytes may be written.
  mutating func take(_ bytes: Int) -> Bool {
    guard bytes <= allowedBytes else { return false }
    writtenBytes += bytes
    let reserved = min(bytes, reserveBytes)
    reserveBytes -= reserved
    if roomBytes < .max { roomBytes -= bytes - reserved }
    return true
  }

  // MARK: What happens

  /// A batch was appended.
  mutating func appended(_ sizeBytes: Int) {
    log.bytes += sizeBytes
    log.batchCount += 1
  }

  /// Begins one.
  ///
  /// - Parameter reserveBytes: what it may take whatever was said of the room.
  /// - Returns: False while another is being written.
  mutating func begin(reserveBytes: Int = 0) -> Bool {
    guard !isWriting else { return false }
    (isWriting, covered, writtenBytes, self.reserveBytes) = (true, log, 0, reserveBytes)
    return true
  }

  /// Ends the one under way.
  ///
  /// - Returns: Whether the operator is to be told that there is too little room.
  mutating func end(_ outcome: Outcome, _ limits: DatabaseLimits) -> Bool {
    (isWriting, reserveBytes) = (false, 0)
    switch outcome {
    case .written(let sizeBytes):
      log.bytes -= covered.bytes
      log.batchCount -= covered.batchCount
      (snapshotBytes, last, isShortageTold) = (sizeBytes, nil, false)
      return false
    case .failed:
      last = Attempt(weight: weight(limits))
      return false
    case .tooLarge(let roomBytes):
      last = Attempt(weight: weight(limits), roomBytes: roomBytes)
      defer { isShortageTold = true }
      return !isShortageTold
    }
  }
}
