import HearthEngine
import HearthJournal
import HearthPages
import HearthSystem
import HearthTree
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One cleaning of a database's page files: see ``SegmentCleaner``.
///
/// It goes in rounds. In each one, some segments are *closing*: pages with records in them are changed to equal ones in
/// the newest version, so that checkpoints store them again. A closing segment is released when
///
/// * the newest version was stored while no large write was being decided, and a complete pass over its checkpoint has
///   found no reference into the segment: then no later version can have one;
/// * all versions before it are freed, and the engine has dropped what it kept of them;
/// * a checkpoint that does not name the segment is durable.
///
/// It is removed once no retained checkpoint names it, here or after a later checkpoint. Until then it is a part of the
/// history; an erasure overwrites what no checkpoint refers to in it.
struct SegmentCleaning {
  /// The paths that are changed together, which bounds the memory for what the checkpoint stores.
  private static let pathsMax = 256
  /// The bytes of records that are changed before a checkpoint stores them.
  private static let checkpointBytes = 8 << 20
  /// The bytes of records that are changed while no command is decided: it takes less than a millisecond.
  private static let sliceBytes = 64 << 10
  /// The most works of a reader one after another: the decision, the result of a query, and its text.
  private static let readerStepsMax = 3
  /// The passes in which a round may find references again.
  private static let passesMax = 16

  private let storage: PagedStorage
  private let decider: CommandDecider
  private let limits: DatabaseLimits
  private let isCancelled: () -> Bool
  private var snapshots: SnapshotStore { decider.writer.snapshots }
  /// The periods of versions that have ended since segments were removed.
  private var former: [StateGeneration.Former] = []

  /// The result so far.
  private(set) var report = CleaningReport()
  /// The result of the last complete pass; nil before it.
  private(set) var use: SegmentUse?

  init(
    of storage: PagedStorage, by decider: CommandDecider, _ limits: DatabaseLimits, isCancelled: @escaping () -> Bool
  ) {
    (self.storage, self.decider, self.limits, self.isCancelled) = (storage, decider, limits, isCancelled)
  }

  /// Cleans until the goal is reached.
  ///
  /// - Throws: `PageError`, `JournalError`, ``HistoryError/cancelled``. The files are intact, and may be cleaned again.
  mutating func run(_ goal: SegmentUse.Goal) throws {
    if storage.files.hasReleased { try removeReleased(erasing: goal == .erasing) }
    if goal != .due || isLastLarge { storage.seal() }
    // Segments that are written meanwhile stay: otherwise it would never end beside many writes.
    let numbers = Set(storage.files.fullSegments.map(\.number))
    var checkpoint = try store()
    try count(checkpoint)
    while let use {
      let segments = storage.files.fullSegments.filter { numbers.contains($0.number) }
      let closing = use.closing(segments, for: goal, fileBytes: storage.counts.fileBytes)
      if closing.isEmpty { break }
      let liveBytes = closing.reduce(0) { $0 + (use.liveBytes[$1] ?? 0) }
      try requireRoom(for: liveBytes)
      checkpoint = try empty(closing, from: checkpoint)
      try waitForReaders()
      storage.files.release(closing)
      _ = try store()
      try removeReleased(erasing: goal == .erasing)
      report.storedBytes += liveBytes
    }
    if goal == .erasing { try eraseGaps() }
    report.fileBytes = storage.counts.fileBytes
  }

  /// True when the segment that gets records is a large part of the files.
  private var isLastLarge: Bool {
    let full = storage.files.fullSegments.reduce(0) { $0 + $1.sizeBytes }
    return storage.counts.fileBytes - full > full / 4
  }

  private func checkContinues() throws {
    if isCancelled() { throw HistoryError.cancelled }
    guard snapshots.batches.isRunning else { throw JournalError(.closed, "the database accepts no writes") }
  }

  private func pause(_ milliseconds: UInt32) throws {
    try checkContinues()
    usleep(milliseconds * 1_000)
  }

  private func requireRoom(for bytes: Int) throws {
    let neededBytes = 2 * bytes + Self.checkpointBytes
    guard snapshots.schedule.withLock({ $0.allowedBytes }) >= neededBytes else {
      throw JournalError(
        .noSpace, "cleaning the page files needs \(neededBytes) bytes of free disk space, and then frees more")
    }
  }

  // MARK: Checkpoints

  /// Stores the newest version, in a checkpoint of its own.
  ///
  /// - Parameter endsGeneration: True to begin another period of versions with it, at a time without a large write, whose
  ///   result may have pages of older versions.
  mutating func store(endsGeneration: Bool = false) throws -> PageCheckpoint {
    while true {
      guard snapshots.schedule.withLock({ $0.begin() }) else {
        try pause(5)
        continue
      }
      guard let state = try durableVersion(endsGeneration: endsGeneration) else {
        snapshots.schedule.withLock { _ = $0.end(.abandoned, limits) }
        try pause(20)
        continue
      }
      let journal = snapshots.journal
      let stored = try snapshots.queue.sync { () throws -> Checkpoint? in
        snapshots.tryWrite(state) ? try journal.currentCheckpoint() : nil
      }
      guard let stored, stored.position == state.position else {
        try checkContinues()
        throw JournalError(.failed, "a checkpoint failed, as the log says; cleaning goes on later")
      }
      return try PageCheckpoint(stored.payload)
    }
  }

  /// Returns the newest version once it is durable; nil when no checkpoint of it is possible now.
  private mutating func durableVersion(endsGeneration: Bool) throws -> DatabaseState? {
    let decider = decider
    let ended = decider.engine.withLock { $0.state.generation }
    let version = decider.queue.sync { () -> DatabaseState? in
      if endsGeneration, decider.pool.commands.withLock({ $0.isRunning(.writes) }) { return nil }
      return decider.engine.withLock { engine in
        if engine.state.hasOpenPieces { return nil }
        if endsGeneration { engine.begin(StateGeneration()) }
        return engine.state
      }
    }
    guard let version else { return nil }
    if endsGeneration { former.append(StateGeneration.Former(ended)) }
    do {
      while snapshots.durable.state.position < version.position { try pause(2) }
    } catch {
      snapshots.schedule.withLock { _ = $0.end(.abandoned, limits) }
      throw error
    }
    return version
  }

  // MARK: Passes

  /// Reads a checkpoint's branches, and the pages that may have references.
  ///
  /// - Parameters:
  ///   - closing: The segments whose records are to be stored again.
  ///   - move: Receives paths to these records.
  /// - Returns: The bytes of live records by segment.
  private func pass(
    over checkpoint: PageCheckpoint, closing: Set<Int> = [],
    _ move: @escaping (_ path: Path, _ part: DatabaseState.Part, _ sizeBytes: Int) throws -> Void = { _, _, _ in }
  ) throws -> SegmentUse {
    let (files, roots) = (storage.files, try storage.roots(of: checkpoint))
    var (use, pacer, movedBytes) = (SegmentUse(), Pacer(), 0)
    // A value of an on-disconnect write may be in the data, too. Its records count once.
    var (sessionRecords, areSessionsRead) = (Set<PageLocation>(), false)
    func scan(_ node: Node, _ move: @escaping (_ path: Path, _ sizeBytes: Int) throws -> Void) throws {
      try withoutActuallyEscaping(move) { move in
        var scanner = StoredNodeScanner { location in
          if pacer.isDue {
            try checkContinues()
            pacer.pause()
          }
          let number = files.segmentNumber(of: location)
          let isNew = areSessionsRead ? !sessionRecords.contains(location) : sessionRecords.insert(location).inserted
          if isNew { use.add(location.sizeBytes, in: number) }
          guard closing.contains(number) else { return false }
          movedBytes += location.sizeBytes
          return true
        } move: { path in
          try move(path, movedBytes)
          movedBytes = 0
        }
        try scanner.scan(node)
      }
    }
    try scan(roots.sessions) { try move($0, .sessions, $1) }
    areSessionsRead = true
    try scan(roots.data) { try move($0, .data, $1) }
    try scan(roots.settings) { [storage] path, sizeBytes in
      storage.forgetSettings()
      if path.count > 1, path.keys[0] == PagedStorage.indexesKey {
        try move(Path(Array(path.keys.dropFirst())), .indexes, sizeBytes)
      }
    }
    return use
  }

  private mutating func count(_ checkpoint: PageCheckpoint) throws { use = try pass(over: checkpoint) }

  /// Stores the records of closing segments again, until a pass finds none in the newest version.
  ///
  /// - Returns: The checkpoint of that version.
  private mutating func empty(_ closing: Set<Int>, from first: PageCheckpoint) throws -> PageCheckpoint {
    var checkpoint = first
    for _ in 0..<Self.passesMax {
      let moved = Moved()
      // The paths of a pass are changed in the newest version, which may have changed meanwhile.
      let use = try pass(over: checkpoint, closing: closing) { [self] path, part, sizeBytes in
        moved.isAny = true
        if moved.part != part { try change(moved) }
        moved.part = part
        moved.paths.append(path)
        moved.sizeBytes += sizeBytes
        if moved.paths.count >= Self.pathsMax || moved.sizeBytes >= Self.pathsMax << 12 { try change(moved) }
        guard moved.unstoredBytes >= Self.checkpointBytes else { return }
        moved.unstoredBytes = 0
        var cleaning = self
        _ = try cleaning.store()
      }
      try change(moved)
      if !moved.isAny, closing.isDisjoint(with: use.liveBytes.keys), !former.isEmpty {
        self.use = use
        return checkpoint
      }
      checkpoint = try store(endsGeneration: true)
    }
    throw JournalError(.failed, "data changes too fast for a cleaning of the page files; it goes on later")
  }

  /// Paths whose pages are to be changed to equal ones.
  private final class Moved {
    var paths: [Path] = []
    var part = DatabaseState.Part.data
    /// The bytes of their records.
    var sizeBytes = 0
    /// The bytes of records that are changed, and not stored.
    var unstoredBytes = 0
    /// True when there was a path.
    var isAny = false
  }

  /// Changes the pages at the collected paths to equal ones, which the next checkpoint stores.
  private func change(_ moved: Moved) throws {
    guard !moved.paths.isEmpty else { return }
    // The pages are read here, and not while no command is decided.
    let state = snapshots.durable.state
    FaultScope.run(.install) {
      let node = state[moved.part]
      for path in moved.paths { _ = node[path].scalar }
    }
    let sliceCount = max(1, moved.paths.count * Self.sliceBytes / max(Self.sliceBytes, moved.sizeBytes))
    for start in stride(from: 0, to: moved.paths.count, by: sliceCount) {
      let slice = Array(moved.paths[start..<min(start + sliceCount, moved.paths.count)])
      guard decider.engine.withLock({ $0.rewrite(slice, of: moved.part) }) else {
        try storage.requireComplete()
        throw JournalError(.inputOutput, "a page cannot be read")
      }
      try pause(1)
    }
    moved.unstoredBytes += moved.sizeBytes
    (moved.paths, moved.sizeBytes) = ([], 0)
  }

  // MARK: Removal

  /// Waits until no version of an earlier period is held, and no result that is computed from one is on its way.
  private mutating func waitForReaders() throws {
    let (begin, decider) = (ContinuousClock.now, decider)
    var isNoticed = false
    func publish() {
      decider.queue.sync {
        snapshots.durable.replace(withSame: decider.engine.withLock { $0.state })
      }
    }
    publish()
    while former.contains(where: \.isHeld) {
      let waited = ContinuousClock.now - begin
      if waited > .seconds(60), !isNoticed {
        isNoticed = true
        decider.environment.notice(.cleaningDelayed)
      }
      try pause(waited > .seconds(1) ? 100 : 5)
      publish()
    }
    former = []
    decider.pool.wait()
    decider.queue.sync { decider.engine.withLock { $0.releaseVersions() } }
    // Effects on their way to clients may have values of the last versions.
    let end = ContinuousClock.now + .milliseconds(limits.cleaningGraceMilliseconds)
    while ContinuousClock.now < end { try pause(20) }
    // The work of a reader may begin another one.
    for _ in 0..<Self.readerStepsMax {
      let isReading = decider.environment.makeReaderCheck()
      repeat { try pause(10) } while isReading()
    }
  }

  /// Removes the released segments that no checkpoint names.
  private mutating func removeReleased(erasing: Bool) throws {
    while true {
      let snapshots = snapshots
      let named = try snapshots.queue.sync { try snapshots.namedSegments() }
      if let bytes = try storage.files.removeReleased(keeping: named, erasing: erasing) {
        report.removedBytes += bytes
        return
      }
      // Another process reads a checkpoint, such as for a backup.
      try pause(200)
    }
  }

  /// Overwrites what retained checkpoints do not refer to in the segments that only they name.
  private func eraseGaps() throws {
    guard storage.files.hasReleased else { return }
    let live = LiveRecords(in: storage.files)
    try PastPages(storage: storage, sizeBytesMax: 0).reading(isCancelled) {
      let journal = snapshots.journal
      // The newest one refers to no released segment.
      for position in try journal.checkpointPositions().dropLast() {
        guard let checkpoint = try journal.checkpoint(at: position) else { continue }
        try add(PageCheckpoint(checkpoint.payload), to: live)
      }
    }
    for number in storage.files.releasedNumbers {
      while try !storage.files.eraseGaps(in: number, around: live) { try pause(200) }
    }
  }

  /// Adds the records of a checkpoint, and reads nothing that another one has, too.
  private func add(_ checkpoint: PageCheckpoint, to live: LiveRecords) throws {
    let roots = try storage.roots(of: checkpoint)
    var pacer = Pacer()
    for node in [roots.data, roots.sessions, roots.settings] {
      var scanner = StoredNodeScanner { location in
        if pacer.isDue {
          try checkContinues()
          pacer.pause()
        }
        live.insert(location)
        return false
      } isKnown: {
        live.contains($0)
      } move: { _ in
      }
      try scanner.scan(node)
    }
  }
}

/// Pauses that leave most of the processor and the disk to others.
private struct Pacer {
  /// The longest work without a pause.
  private static let work: Duration = .milliseconds(2)
  private var start = ContinuousClock.now
  private var count = 0

  /// True when it is time for a pause.
  var isDue: Bool {
    mutating get {
      count += 1
      return count % 16 == 0 && ContinuousClock.now - start > Self.work
    }
  }

  /// Waits twice as long as the work took.
  mutating func pause() {
    let microseconds = (ContinuousClock.now - start).components.attoseconds / 1_000_000_000_000
    usleep(UInt32(clamping: min(20_000, 2 * microseconds)))
    start = .now
  }
}
