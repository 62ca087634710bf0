import HearthEngine
import HearthJournal
import HearthTree
import Synchronization

/// The history of one database: past states, reconstructed from its journal.
///
/// Calls block while reading, on the caller's thread, and read beside the database's own work. Callers make one request
/// at a time, because each may read as much as a restart does.
public final class DatabaseHistory: Sendable {
  let journal: any Journal
  let limits: HistoryLimits
  private let present: @Sendable () -> DatabaseState
  private let storage: @Sendable () -> PagedStorage?
  private let cache: Mutex<PastStateCache>

  /// The log bytes of the first read; each further read doubles them.
  private static let firstReadBytes = 64 << 10

  /// - Parameters:
  ///   - present: The last durable state.
  ///   - storage: Returns the page files once the database has some.
  init(
    _ journal: any Journal, limits: HistoryLimits, present: @escaping @Sendable () -> DatabaseState,
    storage: @escaping @Sendable () -> PagedStorage?
  ) {
    (self.journal, self.limits, self.present, self.storage) = (journal, limits, present, storage)
    cache = Mutex(PastStateCache(limits))
  }

  /// The last durable position.
  public var lastPosition: Int64 { present().position }

  /// Returns the oldest position whose state can be reconstructed.
  public func oldestPosition() throws(HistoryError) -> Int64 {
    try mapping { try journal.oldestPosition() }
  }

  /// Returns the last position whose commit was made at that time or before it.
  ///
  /// - Parameter milliseconds: The time since 1970.
  /// - Throws: ``HistoryError``: ``HistoryError/notRetained(oldestPosition:)`` when the time is before the retained
  ///   history.
  public func position(atMilliseconds milliseconds: Int64) throws(HistoryError) -> Int64 {
    try mapping {
      let position = try HistoryTimes(journal).position(atMilliseconds: milliseconds, last: lastPosition)
      guard let position else { throw HistoryError.notRetained(oldestPosition: try journal.oldestPosition()) }
      return position
    }
  }

  /// Returns the time of a commit; nil when its record is no longer retained.
  public func milliseconds(of position: Int64) throws(HistoryError) -> Int64? {
    try mapping { try HistoryTimes(journal).milliseconds(of: position) }
  }

  /// Returns the value at a location after a commit.
  ///
  /// Reconstructs only that location, from the nearest snapshot or checkpoint before the commit and the log after it.
  ///
  /// - Parameters:
  ///   - position: The commit; 0 is the state before the first.
  ///   - isCancelled: Polled regularly; true cancels the call.
  /// - Throws: ``HistoryError``.
  public func state(
    at position: Int64, of path: Path = .root, isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> PastState {
    try mapping {
      let present = present()
      guard position <= present.position else { throw HistoryError.notReached(lastPosition: present.position) }
      if position == present.position { return try state(of: present, path, isCancelled) }
      let generation = cache.withLock { $0.generation }
      var state = try startState(for: position, path, isCancelled)
      if state.position == position, state.wallMilliseconds != nil { return state }
      let isKept = try replay(through: position, over: &state, isCancelled)
      if state.wallMilliseconds == nil {
        state.wallMilliseconds = try HistoryTimes(journal).milliseconds(of: position)
      }
      if isKept { cache.withLock { [state] in $0.keep(state, of: generation) } }
      return state
    }
  }

  /// The past states in page files; nil for a database without.
  private var pages: PastPages? {
    storage().map { PastPages(storage: $0, sizeBytesMax: limits.pagedStateBytesMax) }
  }

  /// Returns the present state at a location, without reading the journal.
  private func state(of present: DatabaseState, _ path: Path, _ isCancelled: () -> Bool) throws -> PastState {
    let (node, faults) = FaultScope.run(.install) { present.root[path] }
    guard faults.failed == 0 else { throw JournalError(.inputOutput, "a page of the database cannot be read") }
    return PastState(
      path: path, node: try pages?.copy(node, isCancelled) ?? node, position: present.position,
      wallMilliseconds: try HistoryTimes(journal).milliseconds(of: present.position),
      storedRules: present.storedRules)
  }

  /// Returns a state at or before a position, from which it is replayed: a cached one, or that of the newest snapshot or
  /// checkpoint; the empty state when the log is complete.
  private func startState(for position: Int64, _ path: Path, _ isCancelled: () -> Bool) throws -> PastState {
    while true {
      let start = try journal.historyStarts().last { $0.position <= position }
      if start == nil {
        let oldest = try journal.oldestPosition()
        guard oldest == 0, position >= 0 else { throw HistoryError.notRetained(oldestPosition: oldest) }
      }
      if let known = cache.withLock({ $0.nearest(path, from: start?.position ?? 0, to: position) }) { return known }
      switch start {
      case nil: return PastState(path: path, node: .empty, position: 0)
      case .snapshot(let snapshot)?: return try load(snapshot, path, isCancelled)
      case .checkpoint(let position)?:
        guard let pages else { throw JournalError(.unsupported, "the database has no page files") }
        let state = try pages.reading(isCancelled) {
          try journal.checkpoint(at: position).map { try pages.state(of: $0, path, isCancelled) }
        }
        if let state { return state }
      // It was removed meanwhile, and an older one serves.
      }
    }
  }

  private func load(_ snapshot: SnapshotInfo, _ path: Path, _ isCancelled: () -> Bool) throws -> PastState {
    var reader = SnapshotReader(of: path)
    for index in 0..<snapshot.chunkCount where reader.root == nil {
      if isCancelled() { throw HistoryError.cancelled }
      try reader.read(try journal.snapshotChunk(index, of: snapshot))
    }
    guard let node = reader.root, reader.position == snapshot.position else {
      throw RecordError("it is not complete", byteOffset: snapshot.sizeBytes)
    }
    return PastState(path: path, node: node, position: snapshot.position, storedRules: reader.storedRules)
  }

  /// Replays from a state to a later one.
  ///
  /// - Returns: True when a later replay can start from the resulting state; false when it lies between the pieces of a
  ///   record.
  private func replay(
    through last: Int64, over state: inout PastState, _ isCancelled: () -> Bool
  ) throws -> Bool {
    guard last > state.position else { return true }
    let scan = RecordScan(of: state.path)
    var result = state
    let pages = pages
    let hasOpenPieces = try forEachRecord(after: state.position, through: last, scan, isCancelled) { position, record in
      for part in record.parts {
        switch part.content {
        case .changes(let changes):
          result.node = scan.apply(changes, to: result.node)
          try pages?.requireSize(of: result.node)
        case .rules(let source): result.storedRules = source
        case .sessions, .piece, .lastPiece, .note, .joint: break
        }
      }
      (result.position, result.wallMilliseconds) = (position, record.ownMilliseconds ?? result.wallMilliseconds)
    }
    guard result.position == last else {
      throw RecordError(
        "the log should go on to position \(last) and ends at \(result.position)", byteOffset: 0, position: last)
    }
    state = result
    return !hasOpenPieces
  }

  /// Reads the log between two positions. The first must not lie between the pieces of a record.
  ///
  /// - Returns: True when the last position lies between the pieces of a record, as far as can be determined.
  @discardableResult
  func forEachRecord(
    after start: Int64, through last: Int64, _ scan: RecordScan, _ isCancelled: () -> Bool,
    _ body: (_ position: Int64, _ record: CommitRecord) throws -> Void
  ) throws -> Bool {
    var (log, position) = (LogReader(scan), start)
    // The first read is small, because there may be only a few commits between the two positions.
    var sizeBytes = min(Self.firstReadBytes, limits.readBytes)
    while position < last {
      if isCancelled() { throw HistoryError.cancelled }
      let batches = try journal.batches(after: position, sizeBytesMax: sizeBytes)
      sizeBytes = min(limits.readBytes, 2 * sizeBytes)
      guard !batches.isEmpty else { break }
      for batch in batches where batch.firstPosition <= last {
        try log.read(batch, after: position) { position, record in
          if position <= last { try body(position, record) }
        }
        position = batch.lastPosition
      }
    }
    return log.hasOpenPieces
  }

  /// Drops the cached states: they no longer match the retained history.
  func forget() { cache.withLock { $0.forget() } }

  func mapping<Value>(_ body: () throws -> Value) throws(HistoryError) -> Value {
    try HistoryError.mapping(oldestPosition: { (try? journal.oldestPosition()) ?? 0 }, body)
  }
}
