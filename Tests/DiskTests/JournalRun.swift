import Foundation
import HearthJournal
import HearthSQLite

/// The operations of a journal on a watched disk.
struct JournalRun: DiskRun {
  /// An operation of a journal.
  private enum Operation: String {
    case open, acquire, append
    case appendLarge = "append, large"
    case snapshot, prune, read, close, restart
  }

  private(set) var outcomes: [(operation: String, outcome: DiskOutcome)] = []
  /// The running hashes of all attempted appends by position.
  private(set) var hashes: [Int64: Set<UInt64>] = [0: [RunningHash.empty.rawValue]]
  /// The last position that was acknowledged.
  private(set) var acknowledged: Int64 = 0
  /// The last position of an append with an unknown outcome.
  private(set) var attempted: Int64 = 0
  private(set) var problems: [String] = []

  private let path: String
  private let disk: WatchedDisk
  private var journal: SQLiteJournal?
  private var head = JournalHead(epoch: 0, position: 0, runningHash: .empty)

  init(folder: String, disk: WatchedDisk) { (path, self.disk) = (Self.path(in: folder), disk) }

  private static func path(in folder: String) -> String { folder + "/j.sqlite" }

  mutating func run() {
    start(.open)
    for count in 1...3 {
      append(.append, 60 * count)
      append(.append, 60)
    }
    snapshot()
    append(.appendLarge, 30_000)
    append(.append, 60)
    perform(.prune) { journal, _ in try journal.prune() }
    append(.append, 2_000)
    read()
    snapshot()
    append(.append, 60)
    perform(.close) { journal, _ in try journal.close() }
    start(.restart)
    append(.append, 60)
    append(.append, 9_000)
  }

  mutating func end() { journal = nil }

  /// Opens the journal; a second time when the first attempt fails, as an operator would.
  private mutating func start(_ operation: Operation) {
    journal = nil
    for _ in 0..<2 {
      do throws(JournalError) {
        let opened = try SQLiteJournal(path: path, options: SQLiteJournal.Options(checkpointBytes: 40_000))
        let damages = opened.recovery.damages.filter { !$0.isUnfinishedCommit }
        if !damages.isEmpty { problems.append("opening found damage: \(damages)") }
        journal = opened
        outcomes.append((operation.rawValue, .done))
        break
      } catch {
        note(operation, error)
      }
    }
    for _ in 0..<2 {
      let outcome = perform(.acquire) { journal, run in
        let head = try journal.acquire()
        run.check(head, "the restart")
        run.head = head
        (run.acknowledged, run.attempted) = (head.position, head.position)
      }
      if outcome == .done { break }
    }
  }

  private mutating func append(_ operation: Operation, _ sizeBytes: Int) {
    // A fault happens once, and the journal is reopened when necessary.
    for attempt in 0..<3 {
      let position = head.position + 1
      let batch = JournalBatch(
        firstPosition: position, lastPosition: position,
        payload: (0..<sizeBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(position) &* 7) })
      if journal != nil {
        hashes[position, default: []].insert(head.runningHash.appending(batch, epoch: head.epoch).rawValue)
        attempted = max(attempted, position)
      }
      let outcome = perform(operation) { journal, run in
        run.head = try journal.append(batch, after: run.head)
        run.acknowledged = run.head.position
        run.disk.promise(run.acknowledged)
      }
      if outcome == .done || journal == nil { return }
      // A refusal states that nothing was written.
      if outcome == .refused { attempted = acknowledged }
      if attempt == 2 { problems.append("an append fails again and again") }
    }
  }

  private mutating func snapshot() {
    perform(.snapshot) { journal, run in
      try journal.takeSnapshot(at: run.head.position)
    }
  }

  /// Checks that reads work after any failure, and return acknowledged batches.
  private mutating func read() {
    let (first, last) = (max(0, acknowledged - 2), acknowledged)
    perform(.read) { journal, run in
      let batches = try journal.batches(after: first, sizeBytesMax: 1 << 20)
      let end = batches.last?.lastPosition ?? first
      if end != last { run.problems.append("reading ends at \(end) instead of \(last)") }
    }
  }

  @discardableResult
  private mutating func perform(
    _ operation: Operation, _ body: (SQLiteJournal, inout JournalRun) throws -> Void
  ) -> DiskOutcome {
    guard let journal else {
      outcomes.append((operation.rawValue, .stopped))
      return .stopped
    }
    do {
      try body(journal, &self)
      outcomes.append((operation.rawValue, .done))
      return .done
    } catch let error as JournalError {
      return note(operation, error)
    } catch {
      problems.append("\(operation): \(error) is no word of a journal's")
      return .unknown
    }
  }

  /// Checks that an error names the file and states one of three outcomes.
  @discardableResult
  private mutating func note(_ operation: Operation, _ error: JournalError) -> DiskOutcome {
    let outcome: DiskOutcome =
      switch error.code {
      case .noSpace: .refused
      case .inputOutput, .corrupt, .permissionDenied, .notAJournal: .unknown
      case .failed, .closed, .snapshotAbandoned, .inUse: .stopped
      default: .unknown
      }
    if error.place.file == nil { problems.append("\(operation): no file in \(error)") }
    if error.code == .corrupt || error.code == .notAJournal {
      problems.append("\(operation): a fault is taken for damage: \(error)")
    }
    outcomes.append((operation.rawValue, outcome))
    return outcome
  }

  // MARK: Checks

  /// Compares the end of a log with the acknowledged and attempted appends.
  private mutating func check(_ head: JournalHead, _ place: String) {
    if let problem = problem(head, promised: acknowledged) { problems.append("\(place): \(problem)") }
    if head.position > attempted { problems.append("\(place): position \(head.position) was refused, and is there") }
  }

  func problem(in folder: String, promised: Int64) -> String? {
    do throws(JournalError) {
      let journal = try SQLiteJournal(path: Self.path(in: folder))
      defer { try? journal.close() }
      let damages = journal.recovery.damages.filter { !$0.isUnfinishedCommit }
      if let damage = damages.first { return "damage is found: \(damage)" }
      return problem(try journal.acquire(), promised: promised)
    } catch {
      return "it is refused: \(error)"
    }
  }

  /// Returns a problem with the end of a log, or nil when there is none.
  private func problem(_ head: JournalHead, promised: Int64) -> String? {
    if head.position < promised { return "position \(promised) was acknowledged, and the log ends at \(head.position)" }
    if hashes[head.position]?.contains(head.runningHash.rawValue) != true {
      return "what is at position \(head.position) was never written"
    }
    return nil
  }
}

extension SQLiteJournal {
  /// Writes a snapshot of three chunks, aborted when one of its steps fails.
  func takeSnapshot(at position: Int64) throws {
    let ticket = try beginSnapshot(at: position)
    do {
      for number in UInt8(0)..<3 {
        try appendSnapshotChunk([UInt8](repeating: number, count: 3_000), to: ticket)
      }
      _ = try completeSnapshot(ticket)
    } catch {
      try? abandonSnapshot(ticket)
      throw error
    }
  }
}
