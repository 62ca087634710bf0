import HearthDatabase
import HearthEngine
import HearthJournal
import HearthTree
import HearthTriggers
import Logging
import Synchronization

/// The outbox for events of created and deleted accounts.
public struct UserOutbox: Sendable {
  /// Returns the entries for events of accounts. Called for each attempt to store them, with the same result.
  public var entries: @Sendable (_ events: [UserEvent]) -> [OutboxEntry]
  /// Called with entries once they are durable. Must not block.
  public var stored: @Sendable (_ entries: [OutboxEntry]) -> Void
}

/// The builder of outboxes: it turns commits and account events into entries, and marks those beyond a queue's limits
/// as dead.
final class EventIntake: Sendable {
  /// The reason for a dead letter when the queue is full.
  private static let full = "too many events wait"

  private let table: QueueTable
  private let pump: EventPump
  private let environment: SenderEnvironment
  private let logger: Logger
  private let loops = Mutex(TriggerLoopDetector())

  init(table: QueueTable, pump: EventPump, environment: SenderEnvironment, logger: Logger) {
    (self.table, self.pump, self.environment, self.logger) = (table, pump, environment, logger)
  }

  /// Returns the outbox for a database's commits under the present triggers, or nil when no trigger is about the
  /// database.
  ///
  /// - Parameter isStrict: True to refuse writes with too many or too large events.
  func outbox(of database: String, isStrict: Bool) -> DatabaseOutbox? {
    let definitions = table.definitions.filter { $0.appliesTo(database: database) }.sorted { $0.name < $1.name }
    guard !definitions.isEmpty else { return nil }
    let builder = EventBuilder(database: database, definitions)
    var refusal: (@Sendable (CommittedChange) -> Failure?)?
    if isStrict { refusal = { builder.refusal(of: $0) } }
    let entries: @Sendable ([CommittedChange]) -> [OutboxEntry] = { [self] changes in
      let made = builder.entries(of: changes)
      warn(of: made.excess, in: database)
      let writers = Dictionary(changes.map { ($0.position, ShareClaimant(writerOf: $0)) }) { first, _ in first }
      return bounded(made.entries, of: database, writers)
    }
    return DatabaseOutbox(entries: entries, refusal: refusal) { [self] entries in stored(entries, in: database) }
  }

  /// Returns the outbox for account events under the present triggers, or nil when none is about users.
  func userOutbox() -> UserOutbox? {
    let triggers = table.definitions.compactMap { definition -> (name: String, eventType: UserEventType)? in
      guard case .users(let eventType) = definition.subject else { return nil }
      return (definition.name, eventType)
    }.sorted { $0.name < $1.name }
    guard !triggers.isEmpty else { return nil }
    return UserOutbox { [self] events in
      bounded(Self.entries(of: events, for: triggers), of: UserEvent.source)
    } stored: { [self] entries in
      stored(entries, in: UserEvent.source)
    }
  }

  /// Returns one entry for each event and trigger, numbered within each commit.
  private static func entries(
    of events: [UserEvent], for triggers: [(name: String, eventType: UserEventType)]
  ) -> [OutboxEntry] {
    var (entries, position, ordinal): ([OutboxEntry], Int64?, Int32) = ([], nil, 0)
    for event in events {
      if event.position != position { (position, ordinal) = (event.position, 0) }
      for trigger in triggers where trigger.eventType == event.eventType {
        ordinal += 1
        entries.append(
          OutboxEntry(
            queue: trigger.name, place: OutboxPlace(position: event.position, ordinal: ordinal), lane: event.uid,
            milliseconds: event.milliseconds, content: event.content))
      }
    }
    return entries
  }

  /// Returns the entries; those beyond the limit of a queue, or beyond an account's share of it, are marked as dead.
  /// Counts nothing, because a failed attempt to store the entries repeats this call.
  ///
  /// - Parameter writers: The accounts that made the commits, by the commits' positions.
  private func bounded(
    _ entries: [OutboxEntry], of database: String, _ writers: [Int64: ShareClaimant] = [:]
  ) -> [OutboxEntry] {
    table.state.withLock { table in
      var batches: [String: WaitingShares.Batch] = [:]
      return entries.map { entry in
        let id = QueueID(database: database, trigger: entry.queue)
        guard entry.deadReason == nil, table.queues[id] != nil else { return entry }
        let isAdmitted = table.queues[id]?.shares.admit(
          entry, of: writers[entry.place.position], in: &batches[entry.queue, default: .init()], environment)
        var entry = entry
        if isAdmitted == false { entry.deadReason = Self.full }
        return entry
      }
    }
  }

  private func stored(_ entries: [OutboxEntry], in database: String) {
    var (full, looping): (Set<String>, Set<String>) = ([], [])
    table.state.withLock { table in
      for entry in entries {
        let id = QueueID(database: database, trigger: entry.queue)
        if entry.deadReason == nil {
          table.queues[id]?.shares.stored(entry)
          table.queues[id]?.hasMore = true
          let isLooping = loops.withLock { $0.note(id, ref: entry.lane, milliseconds: entry.milliseconds) }
          if isLooping { looping.insert(entry.queue) }
        } else if table.queues[id]?.isFull == false, entry.deadReason == Self.full {
          table.queues[id]?.isFull = true
          full.insert(entry.queue)
        }
      }
    }
    for name in full {
      logger.error(
        "too many events wait: new ones become dead letters until there are fewer",
        metadata: ["trigger": "\(name)", "database": "\(database)"])
    }
    for name in looping {
      logger.warning(
        "more than \(TriggerLoopDetector.eventsPerMinute) events of one location in a minute: the handler may trigger itself",
        metadata: ["trigger": "\(name)", "database": "\(database)"])
    }
    pump.schedule()
  }

  private func warn(of excess: TriggerSet.Excess?, in database: String) {
    guard let excess else { return }
    logger.warning(
      excess == .tooManyEvents
        ? "a write caused more events than the limit; the rest are omitted"
        : "a write caused an event with more data than the limit; its data is omitted",
      metadata: ["database": "\(database)", "events": "\(TriggerLimits.eventsPerWriteMax)"])
  }
}

extension ShareClaimant {
  /// Creates the claimant of the account whose write made a commit.
  fileprivate init(writerOf change: CommittedChange) {
    let principal = change.principal
    self.init(account: principal.uid, isAdministrator: principal.isAdministrator && !principal.isOverridden)
  }
}
