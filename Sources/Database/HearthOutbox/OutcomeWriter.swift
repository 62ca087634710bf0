import Dispatch
import HearthJournal
import HearthTriggers
import Logging
import Synchronization

/// The writer of events' outcomes to the journals. It collects those of a short time and stores them together.
final class OutcomeWriter: Sendable {
  private struct Outcome: Sendable {
    var id: QueueID
    var place: OutboxPlace
    var change: OutboxChange
  }

  private struct State: Sendable {
    /// Outcomes that are not on the disk yet.
    var outcomes: [Outcome] = []
    var isFlushDue = false
  }

  /// The time for which outcomes are collected before they are stored together. After a crash within that time their
  /// events are sent again.
  private static let flushMilliseconds: Int64 = 50

  private let table: QueueTable
  private let environment: SenderEnvironment
  private let logger: Logger
  private let state = Mutex(State())
  /// The queue on which outcomes are stored.
  private let queue = DispatchQueue(label: "hearth.triggers.flush")

  init(table: QueueTable, environment: SenderEnvironment, logger: Logger) {
    (self.table, self.environment, self.logger) = (table, environment, logger)
  }

  /// Adds an outcome. May be called under the lock of the table.
  func add(_ id: QueueID, _ place: OutboxPlace, _ change: OutboxChange) {
    state.withLock { $0.outcomes.append(Outcome(id: id, place: place, change: change)) }
  }

  /// Returns the places in the queue of settled events whose outcome is not on the disk yet. May be called under the
  /// lock of the table.
  func settledPlaces(in id: QueueID) -> Set<OutboxPlace> {
    state.withLock { state in
      Set(state.outcomes.filter { if case .waits = $0.change { false } else { $0.id == id } }.map(\.place))
    }
  }

  /// Drops the outcomes of a removed database. May be called under the lock of the table.
  func removeAll(of database: String) { state.withLock { $0.outcomes.removeAll { $0.id.database == database } } }

  /// Schedules the storing of outcomes, which collects those of other events.
  func flushSoon() {
    let isFirst = state.withLock { state in
      guard !state.outcomes.isEmpty, !state.isFlushDue else { return false }
      state.isFlushDue = true
      return true
    }
    guard isFirst else { return }
    environment.schedule(Self.flushMilliseconds) { [weak self] in
      guard let self else { return }
      queue.async { self.store() }
    }
  }

  /// Stores all outcomes. Blocks.
  func flush() { queue.sync { store() } }

  /// Runs `body`, while no outcome is stored. Blocks.
  func withoutStoring<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
    try queue.sync { Swift.Result { () throws(JournalError) in try body() } }.get()
  }

  /// Stores all outcomes. Must run on ``queue``.
  private func store() {
    let (outcomes, journals) = table.state.withLock { table in
      let outcomes = state.withLock { state in
        defer { (state.outcomes, state.isFlushDue) = ([], false) }
        return state.outcomes
      }
      return (outcomes, table.journals)
    }
    for (database, outcomes) in Dictionary(grouping: outcomes, by: \.id.database) {
      do throws(JournalError) {
        try journals[database]?.settle(outcomes.map { ($0.id.trigger, $0.place, $0.change) })
      } catch {
        logger.error(
          "the outcome of events cannot be stored",
          metadata: ["database": "\(database)", "error": "\(error)"])
        // After a temporary error the outcomes are stored later; after any other error the events are sent once more
        // after the next start.
        if error.isTransient { state.withLock { $0.outcomes += outcomes } }
      }
    }
  }
}
