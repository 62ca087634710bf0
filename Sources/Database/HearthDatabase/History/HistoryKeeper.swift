import HearthJournal
import Synchronization

/// Decides how much of the past stays when a snapshot is complete.
final class HistoryKeeper: Sendable {
  private struct State {
    /// What somebody reads at the moment, from which position on.
    var holds: [UInt64: Int64] = [:]
    var lastHold: UInt64 = 0
    /// What the log takes between kept snapshots, by the position of the first: it is measured once.
    var logBytes: [Int64: (through: Int64, bytes: Int)] = [:]
    /// The operator was told that the bytes do not last for the age.
    var isShortened = false
  }

  private let retention: HistoryRetention
  private let state = Mutex(State())

  init(_ retention: HistoryRetention) { self.retention = retention }

  /// Keeps all from a position on until the hold is let go of.
  func hold(from position: Int64) -> HistoryHold {
    let number = state.withLock { state in
      state.lastHold += 1
      state.holds[state.lastHold] = position
      return state.lastHold
    }
    return HistoryHold { [weak self] in self?.state.withLock { _ = $0.holds.removeValue(forKey: number) } }
  }

  /// Removes what nobody wants to look back to any more.
  ///
  /// - Parameters:
  ///   - last: where the log ends.
  ///   - nowMilliseconds: since 1970.
  /// - Returns: Where history begins now, when that is news to the operator: the bytes do not last for the age any more.
  func prune(_ journal: any Journal, last: Int64, nowMilliseconds: Int64) throws -> Int64? {
    var (wanted, shortened): (Int64, Int64?) = (.max, nil)
    if retention.ageMilliseconds > 0 {
      let border = nowMilliseconds.subtractingReportingOverflow(retention.ageMilliseconds)
      let time = border.overflow ? 0 : border.partialValue
      // The commit itself stays in the log, so that its time is known.
      wanted = max(0, (try HistoryTimes(journal).position(atMilliseconds: time, last: last) ?? 0) - 1)
      let affordable = try oldestAffordable(journal)
      let base = try journal.snapshots().last { $0.position <= wanted }?.position ?? 0
      // Without an age there is nothing but the bytes.
      if note(isShortened: affordable > base && retention.ageMilliseconds < .max) { shortened = affordable }
      wanted = max(wanted, affordable)
    }
    let held = state.withLock { $0.holds.values.min() } ?? .max
    try journal.prune(keepingFrom: min(wanted, held))
    return shortened
  }

  /// - Returns: Whether that is news.
  private func note(isShortened: Bool) -> Bool {
    state.withLock { state in
      defer { state.isShortened = isShortened }
      return isShortened && !state.isShortened
    }
  }

  /// The oldest snapshot from which on all that is kept beside the current one has room: its position, 0 for the whole log.
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
      // As many as there can be snapshots within the age; older ones are of no interest any more.
      if state.logBytes.count > 4_096 { state.logBytes = [:] }
      state.logBytes[position] = (last, bytes)
    }
    return bytes
  }
}

/// Keeps a part of a database's past from being removed, for as long as somebody reads it.
public final class HistoryHold: Sendable {
  private let release: Mutex<(@Sendable () -> Void)?>

  init(_ release: @escaping @Sendable () -> Void) { self.release = Mutex(release) }

  deinit { end() }

  /// Lets go. Nothing happens the second time.
  public func end() {
    let release = release.withLock { release in
      defer { release = nil }
      return release
    }
    release?()
  }
}
