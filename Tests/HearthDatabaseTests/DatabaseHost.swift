import Foundation
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// A host of databases: a clock and timers that the test controls, and all output as text.
final class DatabaseHost: Sendable {
  private struct State {
    var now: Int64 = 0
    var lines: [String] = []
    var notices: [String] = []
    var timers: [(deadline: Int64, work: @Sendable () -> Void)] = []
    /// The folders with pages.
    var folders: Set<String> = []
  }

  /// True to store pages in all tests, and checkpoints in place of all snapshots. Tests of snapshots and history are left out.
  static let isPaged = ProcessInfo.processInfo.environment["HEARTH_PAGED"] != nil

  private let state = Mutex(State())
  var lines: [String] { state.withLock { $0.lines } }
  var notices: [String] { state.withLock { $0.notices } }
  var timers: [Int64] { state.withLock { $0.timers.map(\.deadline) } }

  deinit {
    for folder in state.withLock(\.folders) { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// Opens a database.
  ///
  /// - Parameter isPaged: True to store pages and checkpoints, whatever the size of the data.
  func database(
    _ journal: any Journal, rules: String, limits: DatabaseLimits = DatabaseLimits(), outbox: DatabaseOutbox? = nil,
    meters: DatabaseMetrics = .none, isPaged: Bool = isPaged
  ) throws -> Database {
    var (environment, limits) = (environment, limits)
    environment.outbox = outbox
    environment.meters = meters
    if isPaged { (environment.pages, limits.pagedBytesMin) = (PageCache(sizeBytes: 0), 0) }
    return try Database(
      name: "test", journals: SingleJournalFactory(journal, pages: pageFolder(of: journal)),
      initialRules: try RuleSet.compile(rules), environment: environment, limits: limits)
  }

  /// Returns the folder for the pages of a journal, and of those after a crash of it.
  func pageFolder(of journal: any Journal) -> String? {
    guard let journal = journal as? MemoryJournal ?? (journal as? OutboxMemoryJournal)?.journal else { return nil }
    let process = ProcessInfo.processInfo.processIdentifier
    let folder = NSTemporaryDirectory() + "hearth-database-\(process)-\(journal.diskNumber).pages"
    return state.withLock { state in
      state.folders.insert(folder)
      return folder
    }
  }

  /// The environment of databases on this host.
  var environment: DatabaseEnvironment {
    DatabaseEnvironment(
      clock: { [self] in
        let now = state.withLock { $0.now }
        return Instant(wallMilliseconds: now, monotonicMilliseconds: now)
      },
      schedule: { [self] delay, work in state.withLock { $0.timers.append(($0.now + delay, work)) } },
      deliver: { [self] effects, _ in
        state.withLock { $0.lines += effects.flatMap { $0.scenarioLines(showsReceipts: false) } }
      },
      notice: { [self] notice in state.withLock { $0.notices.append(notice.name) } })
  }

  func note(_ line: String) { state.withLock { $0.lines.append(line) } }

  @discardableResult
  func send(_ database: Database, from number: UInt64 = 1, _ actions: [Command.Action]) -> Bool {
    let connection = ConnectionID(rawValue: number)
    return database.submit(
      actions.map { action in
        switch action {
        case .write, .deployRules, .transact:
          Command(connection: connection, request: 1, principal: .administrator, action: action)
        default: Command(connection: connection, request: 1, action: action)
        }
      })
  }

  /// Sets the clock and fires the timers that are due.
  func advance(to time: Int64) {
    let due = state.withLock { state in
      state.now = time
      defer { state.timers.removeAll { $0.deadline <= time } }
      return state.timers.filter { $0.deadline <= time }
    }
    for timer in due { timer.work() }
  }

  /// Waits until a condition is true; gives up after a time that only a deadlock would take.
  func waitUntil(_ isSo: () -> Bool) {
    for _ in 0..<Polling.timeoutSeconds * 1_000 {
      if isSo() { return }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  /// Waits for as many lines as expected, and compares them.
  func expect(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    waitUntil { lines.count >= expected.count }
    #expect(lines == expected, sourceLocation: sourceLocation)
  }

  /// Waits until all submitted commands are decided.
  func settle(_ database: Database) { database.decider.queue.sync {} }

  /// Waits until all submitted commands are decided and their effects delivered.
  func finish(_ database: Database) {
    settle(database)
    database.writer.queue.sync {}
  }
}

extension DatabaseNotice {
  fileprivate var name: String {
    switch self {
    case .halted: "halted"
    case .stalled: "stalled"
    case .resumed(let milliseconds): "resumed after \(milliseconds)"
    case .snapshotWritten: "snapshot"
    case .checkpointWritten: "checkpoint"
    case .cleaningBegun: "cleaning"
    case .cleaningEnded: "cleaned"
    case .cleaningDelayed: "cleaning waits"
    case .cleaningFailed: "cleaning failed"
    case .pageUnreadable: "page"
    case .conversionBegun: "conversion"
    case .conversionRefused: "no conversion"
    case .snapshotFailed: "snapshot failed"
    case .snapshotTooLarge(let roomBytes): "snapshot over \(roomBytes)"
    case .historyShortened(let position, _): "history from \(position)"
    case .pruningFailed: "pruning failed"
    case .closeFailed: "close failed"
    }
  }
}

extension Command.Action {
  /// Returns a write of a number to a path.
  static func put(_ path: String, _ value: Int64) -> Command.Action {
    .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(Node(.int(value))))))
  }
}
