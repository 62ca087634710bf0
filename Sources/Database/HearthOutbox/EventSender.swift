import Dispatch
import HearthDatabase
import HearthJournal
import HearthTriggers
import Logging

/// The sender of all triggers' events: makes events from commits, stores them in the journals of their databases, and
/// posts them until they are delivered. No write waits for it.
///
/// Undelivered events are on the disk; memory holds the locations and times of a bounded number of events, and the
/// contents of those in flight. `Delivery` in `HearthTriggers` decides the order and the time of retries.
public final class EventSender: Sendable {
  /// The dead letters of all triggers.
  public let deadLetters: DeadLetterStore
  /// The status of all triggers.
  public let status: TriggerStatusReader

  private let environment: SenderEnvironment
  private let logger: Logger
  private let table = QueueTable()
  private let outcomes: OutcomeWriter
  private let dispatcher: EventDispatcher
  private let pump: EventPump
  private let intake: EventIntake

  /// Creates a sender without triggers.
  ///
  /// - Parameters:
  /// - isSending: True to send events; otherwise they are only stored.
  /// - notice: Called on any thread when a trigger's registration should be changed.
  public init(
    environment: SenderEnvironment, isSending: Bool, logger: Logger, notice: @escaping @Sendable (TriggerNotice) -> Void
  ) {
    (self.environment, self.logger) = (environment, logger)
    outcomes = OutcomeWriter(table: table, environment: environment, logger: logger)
    dispatcher = EventDispatcher(
      table: table, outcomes: outcomes, environment: environment, logger: logger, notice: notice)
    pump = EventPump(
      table: table, loader: EventLoader(table: table, outcomes: outcomes, environment: environment, logger: logger),
      dispatcher: dispatcher, environment: environment, isRunning: isSending)
    intake = EventIntake(table: table, pump: pump, environment: environment, logger: logger)
    deadLetters = DeadLetterStore(table: table, outcomes: outcomes, pump: pump, environment: environment)
    status = TriggerStatusReader(table: table)
  }

  // MARK: Registrations

  /// Replaces the triggers. A trigger with a known name keeps its events.
  public func set(_ definitions: [TriggerDefinition]) {
    table.state.withLock { table in
      var triggers: [String: QueueTable.Trigger] = [:]
      for definition in definitions {
        var trigger =
          table.triggers[definition.name]
          ?? QueueTable.Trigger(
            definition: definition, delivery: Delivery(policy: definition.policy),
            carrier: environment.carrier(for: definition))
        if trigger.definition != definition { trigger.carrier = environment.carrier(for: definition) }
        trigger.definition = definition
        trigger.delivery.policy = definition.policy
        trigger.delivery.isPaused = definition.pause != nil
        triggers[definition.name] = trigger
      }
      table.triggers = triggers
      table.queues = table.queues.filter { triggers[$0.key.trigger] != nil }
      for name in triggers.keys { for database in table.journals.keys { table.open(database, name) } }
    }
    pump.schedule()
  }

  /// Retries events that wait for plugins at once, after the set of running plugins has changed.
  public func pluginsChanged() {
    table.state.withLock { table in
      for (name, trigger) in table.triggers where trigger.definition.target.url == nil {
        table.triggers[name]?.delivery.receiverIsBack()
      }
    }
    pump.schedule()
  }

  // MARK: Databases

  /// Returns the outbox for a database's commits under the present triggers, or nil when no trigger is about the
  /// database.
  ///
  /// - Parameter isStrict: True to refuse writes with too many or too large events.
  public func outbox(of database: String, isStrict: Bool) -> DatabaseOutbox? {
    intake.outbox(of: database, isStrict: isStrict)
  }

  /// Returns the outbox for account events under the present triggers, or nil when none is about users.
  public func userOutbox() -> UserOutbox? { intake.userOutbox() }

  /// Starts to send waiting and new events of a database.
  ///
  /// - Returns: The queues with events.
  /// - Throws: ``JournalError``.
  @discardableResult
  public func attach(_ database: Database) throws(JournalError) -> [String] {
    guard let journal = database.outboxJournal else { return [] }
    return try attach(journal, as: database.name)
  }

  /// Starts to send waiting and new events of the accounts' journal.
  ///
  /// - Returns: The queues with events.
  @discardableResult
  public func attachUsers(_ journal: any OutboxJournal) throws(JournalError) -> [String] {
    try attach(journal, as: UserEvent.source)
  }

  @discardableResult
  func attach(_ journal: any OutboxJournal, as name: String) throws(JournalError) -> [String] {
    let names = try count(journal, of: name)
    table.state.withLock { $0.journals[name] = journal }
    pump.schedule()
    return names
  }

  /// Counts the waiting events of a database.
  ///
  /// - Returns: The queues with events.
  /// - Throws: ``JournalError``.
  @discardableResult
  private func count(_ journal: any OutboxJournal, of database: String) throws(JournalError) -> [String] {
    var figures: [String: OutboxFigures] = [:]
    let names = try journal.outboxQueues()
    for name in names { figures[name] = try journal.outboxFigures(of: name) }
    table.open(database, figures)
    return names
  }

  /// Sets whether this server or another one, with the same journal, sends a database's events. Events in flight
  /// continue; the new sender repeats those whose outcome is not stored by then.
  public func setSending(_ isSending: Bool, of database: String) {
    pump.async { [self] in
      let journal = table.state.withLock { table in
        if isSending { table.followed.remove(database) } else { table.followed.insert(database) }
        table.reread(database: database)
        return table.journals[database]
      }
      // Outcomes must be on the disk before the other server reads the queue.
      outcomes.flush()
      guard isSending, let journal else { return }
      // The entries are counted again, because the counts do not include those that the other server added and removed.
      do throws(JournalError) {
        try count(journal, of: database)
      } catch {
        logger.error("events cannot be counted", metadata: ["database": "\(database)", "error": "\(error)"])
      }
    }
  }

  /// Reads all queues from their beginnings, because another server has put older events back into some.
  public func rereadQueues() {
    pump.async { [self] in
      outcomes.flush()
      table.state.withLock { table in
        for name in table.triggers.keys { table.reread(trigger: name) }
      }
    }
  }

  /// Ends sending for a removed database.
  public func detach(_ database: String) {
    table.state.withLock { table in
      table.journals[database] = nil
      table.followed.remove(database)
      table.queues = table.queues.filter { $0.key.database != database }
      outcomes.removeAll(of: database)
    }
  }

  // MARK: Stopping

  /// Starts no more deliveries, waits briefly for those in flight, and stores outcomes. Blocks.
  public func stop() {
    pump.stop()
    for _ in 0..<30 where table.inFlightCount > 0 {
      // Running handlers get this time to finish; unfinished events are sent again at the next start, with the same ID.
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(100))
    }
    dispatcher.cancelAll()
    pump.wait()
    outcomes.flush()
  }
}
