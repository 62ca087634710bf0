import Foundation
import HearthEngine
import HearthJournal
import HearthRules
import HearthSQLite
import HearthTestKit
import HearthTree
import Synchronization

@testable import HearthDatabase

/// A database that begins in memory, becomes paged, and is opened from its checkpoints.
final class DatabaseFiles: SteppedFiles {
  private enum Step: String, CaseIterable {
    case write = "write, small"
    case snapshot
    case rules
    case writeLarge = "write, large"
    case convert = "checkpoint, first"
    case change = "write, on pages"
    case checkpoint
    case remove
    case clean
    case restart = "restart, with a last checkpoint"
    case changeCold = "write, on cold pages"
    case restartCold = "restart, with a log"
    case checkpointCold = "checkpoint, on cold pages"
    case erase
    case writeLast = "write, last"
  }

  static let steps = Step.allCases.map(\.rawValue)

  private let folder: String
  private let host = Host()
  private var database: Database

  init(folder: String) throws {
    self.folder = folder
    database = try Self.open(folder, host)
  }

  private static func open(_ folder: String, _ host: Host) throws -> Database {
    let journal = try SQLiteJournal(
      path: folder + "/d.sqlite", options: SQLiteJournal.Options(checkpointBytes: 40_000))
    do {
      if let damage = journal.recovery.damages.first(where: { !$0.isUnfinishedCommit }) {
        throw JournalError(.corrupt, "damage is found: \(damage)")
      }
      var (environment, limits) = (host.environment, DatabaseLimits())
      (environment.pages, limits.pagedBytesMin) = (PageCache(sizeBytes: 0), 4_000)
      limits.cleaningGraceMilliseconds = 0
      return try Database(
        name: "d", journals: SingleJournalFactory(journal, pages: folder + "/d.pages"), initialRules: .denyAll,
        environment: environment, limits: limits)
    } catch {
      try? journal.close()
      throw error
    }
  }

  func perform(_ step: Int) throws {
    switch Step.allCases[step] {
    case .write: try put("rooms/r0/m0", "first")
    case .rules: try commit(.deployRules(try RuleSet.compile(#"{"rules": {".read": true, ".write": false}}"#)))
    case .snapshot, .convert, .checkpoint, .checkpointCold: try store()
    case .writeLarge:
      let messages = (0..<300).map { number in
        let text = String(repeating: "message \(number) ", count: number == 200 ? 9_000 : number % 9 + 1)
        return (Path("r\(number % 5)/m\(number)"), Node(.string(text)))
      }
      try commit(.write(WriteOperation(Self.put("rooms", Node.empty.replacing(messages)))))
    case .change: try put("rooms/r1/m61", "changed")
    case .remove: try commit(.write(WriteOperation(Self.put("rooms/r2", .empty))))
    case .changeCold: try put("rooms/r3/m33", "changed without being read")
    case .writeLast: try put("rooms/r4/m44", "last")
    case .clean: try clean(.all)
    case .erase: try clean(.erasing)
    case .restart: try restart(storingUntil: .max)
    case .restartCold: try restart(storingUntil: .min)
    }
  }

  private static func put(_ path: String, _ node: Node) -> WriteOperation.Change {
    .put(Location(path: Path(path)), WriteValue(node))
  }

  private func put(_ path: String, _ text: String) throws {
    try commit(.write(WriteOperation(Self.put(path, Node(.string(text))))))
  }

  /// Waits as a request does. A change that finds no room is retried by a timer.
  private func commit(_ action: Command.Action) throws {
    let failure = host.reply(of: action, in: database)
    guard let failure else { return }
    throw StepFailure(outcome: failure == .outcomeUnknown ? .unknown : .stopped, reason: "\(failure)")
  }

  /// Writes a snapshot or checkpoint, as the database's queue does when one is due.
  private func store() throws {
    guard database.status == .running else { throw StepFailure(outcome: .stopped, reason: "\(database.status)") }
    host.storing.withLock { $0 = nil }
    guard database.snapshots.schedule.withLock({ $0.begin() }) else { return }
    database.snapshots.queue.sync { database.snapshots.write(database.published) }
    switch host.storing.withLock(\.self) {
    case .snapshotWritten, .checkpointWritten: break
    case .snapshotFailed(let error) where error.code == .noSpace:
      throw StepFailure(outcome: .refused, reason: "\(error)")
    case let notice: throw StepFailure(outcome: .stopped, reason: "\(notice.map { "\($0)" } ?? "nothing")")
    }
  }

  /// Cleans the page files. A failed cleaning has removed nothing that is needed, and may be repeated.
  private func clean(_ goal: SegmentUse.Goal) throws {
    do {
      _ = try database.cleaner.clean(goal) { false }
    } catch {
      // A checkpoint whose outcome is unknown is not repeated before the next commit.
      let isStopped = database.status != .running || (error as? JournalError)?.code == .failed
      throw StepFailure(outcome: isStopped ? .stopped : .refused, reason: "\(error)")
    }
  }

  private func restart(storingUntil end: Int64) throws {
    database.close(snapshotsEnd: end)
    do {
      database = try Self.open(folder, host)
    } catch {
      throw StepFailure(outcome: .stopped, reason: "\(error)")
    }
  }

  /// The state, of which every page is read.
  func state() throws -> String {
    let state = database.published
    let (text, faults) = FaultScope.run(.stream) { state.root.json(.export) }
    if faults.isIncomplete { throw JournalError(.corrupt, "a page cannot be read") }
    let rules = state.storedRules ?? "none"
    return "position \(state.position), rules \(rules), \(String(decoding: text, as: UTF8.self))"
  }

  func close() { database.close() }

  /// The surroundings of the database.
  private final class Host: Sendable {
    /// The last notice about a snapshot or checkpoint, or that the database is halted.
    let storing = Mutex<DatabaseNotice?>(nil)
    private let replies = Mutex<[Reply]>([])
    private let timers = Mutex<[@Sendable () -> Void]>([])

    var environment: DatabaseEnvironment {
      DatabaseEnvironment(
        clock: { Instant(wallMilliseconds: 0, monotonicMilliseconds: 0) },
        schedule: { [self] _, work in timers.withLock { $0.append(work) } },
        deliver: { [self] effects, _ in
          for case .reply(_, _, let reply) in effects { replies.withLock { $0.append(reply) } }
        },
        notice: { [self] notice in
          switch notice {
          case .pruningFailed, .stalled, .resumed, .closeFailed, .pageUnreadable: break
          default: storing.withLock { $0 = notice }
          }
        })
    }

    /// Returns the failure of a request; nil when it was made.
    func reply(of action: Command.Action, in database: Database) -> Failure? {
      replies.withLock { $0 = [] }
      let command = Command(
        connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator, action: action)
      database.submit([command])
      while true {
        if let reply = replies.withLock(\.first) {
          guard case .failure(let failure) = reply else { return nil }
          return failure
        }
        let due = timers.withLock { timers in
          defer { timers = [] }
          return timers
        }
        for work in due { work() }
        Thread.sleep(forTimeInterval: 0.0005)
      }
    }
  }
}
