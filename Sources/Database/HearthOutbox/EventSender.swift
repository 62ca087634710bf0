import Dispatch
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthOutbound
import HearthTree
import HearthTriggers
import Logging
import Synchronization

/// The sender of all triggers' events: makes events from commits, stores them in the journals of their databases, and
/// posts them until they are delivered. No write waits for it.
///
/// Undelivered events are on the disk; memory holds the locations and times of a bounded number of events, and the
/// contents of those in flight.
public final class EventSender: Sendable {
  let environment: SenderEnvironment
  let logger: Logger
  let state = Mutex(SenderState())
  let notice: @Sendable (TriggerNotice) -> Void
  /// The queue on which events are read from the disk and sent.
  let queue = DispatchQueue(label: "hearth.triggers")
  /// The queue on which outcomes are stored.
  let flushQueue = DispatchQueue(label: "hearth.triggers.flush")

  /// The time for which outcomes are collected before they are stored together. After a crash within that time their
  /// events are sent again.
  static let flushMilliseconds: Int64 = 50
  /// The number of events in one read from the disk.
  static let loadedMax = 512
  /// The delay before events that could not be read are read again.
  static let rereadMilliseconds: Int64 = 5_000

  /// Creates a sender without triggers.
  ///
  /// - Parameters:
  ///   - isSending: True to send events; otherwise they are only stored.
  ///   - notice: Called on any thread when a registration should be changed.
  public init(
    environment: SenderEnvironment, isSending: Bool, logger: Logger, notice: @escaping @Sendable (TriggerNotice) -> Void
  ) {
    (self.environment, self.logger, self.notice) = (environment, logger, notice)
    if !isSending { state.withLock { $0.isStopped = true } }
  }

  // MARK: Registrations

  /// Replaces the triggers. A trigger with a known name keeps its events.
  public func set(_ definitions: [TriggerDefinition]) {
    state.withLock { state in
      var triggers: [String: SenderState.Trigger] = [:]
      for definition in definitions {
        var trigger =
          state.triggers[definition.name]
          ?? SenderState.Trigger(
            definition: definition, delivery: Delivery(policy: definition.policy), carrier: carrier(for: definition))
        if trigger.definition != definition { trigger.carrier = carrier(for: definition) }
        trigger.definition = definition
        trigger.delivery.policy = definition.policy
        trigger.delivery.isPaused = definition.pause != nil
        triggers[definition.name] = trigger
      }
      state.triggers = triggers
      state.queues = state.queues.filter { triggers[$0.key.trigger] != nil }
      for name in triggers.keys { for database in state.journals.keys { state.open(database, name) } }
    }
    pump()
  }

  private func carrier(for definition: TriggerDefinition) -> any EventCarrier {
    let url: String
    switch definition.target {
    case .plugin(let plugin): return PluginCarrier(plugin: plugin, receiver: environment.receiver)
    case .url(let text): url = text
    }
    // An invalid URL is refused with each request to it.
    let policy = try? OutboundPolicy.receiving(at: url, allowsPrivate: definition.allowsPrivate)
    return WebCarrier(url: url, definition: definition, client: environment.client(policy ?? .publicHTTPS))
  }

  /// Retries events that wait for plugins at once, after the set of running plugins has changed.
  public func pluginsChanged() {
    state.withLock { state in
      for (name, trigger) in state.triggers where trigger.definition.target.url == nil {
        state.triggers[name]?.delivery.receiverIsBack()
      }
    }
    pump()
  }

  // MARK: Databases

  /// Returns the outbox for a database's commits under the present triggers, or nil when none is about it.
  ///
  /// - Parameter isStrict: True to refuse writes with too many or too large events.
  public func outbox(of database: String, isStrict: Bool) -> DatabaseOutbox? {
    let all = state.withLock { $0.triggers.values.map(\.definition) }
    let definitions = all.filter { $0.isAbout(database: database) }.sorted { $0.name < $1.name }
    guard !definitions.isEmpty else { return nil }
    let maker = EventMaker(database: database, definitions)
    var refusal: (@Sendable (CommittedChange) -> Failure?)?
    if isStrict { refusal = { maker.refusal(of: $0) } }
    let entries: @Sendable ([CommittedChange]) -> [OutboxEntry] = { [self] changes in
      let made = maker.entries(of: changes)
      warn(of: made.excess, in: database)
      let writers = Dictionary(changes.map { ($0.position, ShareClaimant(writerOf: $0)) }) { first, _ in first }
      return bounded(made.entries, of: database, writers)
    }
    return DatabaseOutbox(entries: entries, refusal: refusal) { [self] entries in stored(entries, in: database) }
  }

  /// Starts to send waiting and new events of a database.
  ///
  /// - Returns: The queues with events.
  /// - Throws: ``JournalError``.
  @discardableResult
  public func attach(_ database: Database) throws(JournalError) -> [String] {
    guard let journal = database.outboxJournal else { return [] }
    return try attach(journal, as: database.name)
  }

  @discardableResult
  func attach(_ journal: any OutboxJournal, as name: String) throws(JournalError) -> [String] {
    let names = try count(journal, of: name)
    state.withLock { $0.journals[name] = journal }
    pump()
    return names
  }

  private func recount(_ journal: any OutboxJournal, of database: String) {
    do throws(JournalError) {
      try count(journal, of: database)
    } catch {
      logger.error("events cannot be counted", metadata: ["database": "\(database)", "error": "\(error)"])
    }
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
    state.withLock { state in
      for trigger in state.triggers.keys {
        state.open(database, trigger)
        let id = QueueID(database: database, trigger: trigger)
        state.queues[id]?.shares.total = WaitingShares.Amount(
          count: figures[trigger]?.waitingCount ?? 0, bytes: figures[trigger]?.waitingBytes ?? 0)
      }
    }
    return names
  }

  /// Sets whether this server sends a database's events, or another server with the same journal. Events in flight
  /// continue; the new sender repeats those whose outcome is not stored by then.
  public func setSending(_ isSending: Bool, of database: String) {
    queue.async { [self] in
      let journal = state.withLock { state in
        if isSending { state.followed.remove(database) } else { state.followed.insert(database) }
        state.lookAgain(at: database)
        return state.journals[database]
      }
      // Outcomes must be on the disk before another server reads them.
      flushQueue.sync { flush() }
      // The counts do not include entries that the other server added and removed.
      if isSending, let journal { recount(journal, of: database) }
      pump()
    }
  }

  /// Ends sending for a removed database.
  public func detach(_ database: String) {
    state.withLock { state in
      state.journals[database] = nil
      state.followed.remove(database)
      state.queues = state.queues.filter { $0.key.database != database }
      state.settled.removeAll { $0.id.database == database }
    }
  }

  /// Returns the entries, of which those beyond the limit of a queue, or an account's share of it, are marked as dead.
  /// Storing may fail and repeat this for the same entries, so nothing is counted here.
  ///
  /// - Parameter writers: The accounts that made the commits, by the commits' positions.
  func bounded(
    _ entries: [OutboxEntry], of database: String, _ writers: [Int64: ShareClaimant] = [:]
  ) -> [OutboxEntry] {
    state.withLock { state in
      var batches: [String: WaitingShares.Batch] = [:]
      return entries.map { entry in
        let id = QueueID(database: database, trigger: entry.queue)
        guard entry.deadReason == nil, state.queues[id] != nil else { return entry }
        let isAdmitted = state.queues[id]?.shares.admit(
          entry, of: writers[entry.place.position], in: &batches[entry.queue, default: .init()], environment)
        var entry = entry
        if isAdmitted == false { entry.deadReason = Self.full }
        return entry
      }
    }
  }

  /// The reason for a dead letter when the queue is full.
  private static let full = "too many events wait"

  func stored(_ entries: [OutboxEntry], in database: String) {
    var (full, looping): (Set<String>, Set<String>) = ([], [])
    state.withLock { state in
      for entry in entries {
        let id = QueueID(database: database, trigger: entry.queue)
        if entry.deadReason == nil {
          state.queues[id]?.shares.stored(entry)
          state.queues[id]?.hasMore = true
          if state.loops.note(id, ref: entry.lane, milliseconds: entry.milliseconds) { looping.insert(entry.queue) }
        } else if state.queues[id]?.isFull == false, entry.deadReason == Self.full {
          state.queues[id]?.isFull = true
          full.insert(entry.queue)
        }
      }
    }
    for name in full {
      logger.error(
        "too many events wait: the newest are dead letters until there are fewer",
        metadata: ["trigger": "\(name)", "database": "\(database)"])
    }
    for name in looping {
      logger.warning(
        "more than \(LoopGuard.eventsPerMinute) events of one place in a minute: does the handler write what triggers it?",
        metadata: ["trigger": "\(name)", "database": "\(database)"])
    }
    pump()
  }

  private func warn(of excess: TriggerSet.Excess?, in database: String) {
    guard let excess else { return }
    logger.warning(
      excess == .tooManyEvents
        ? "a write made more events than are sent: those beyond are left out"
        : "a write made an event with more data than is sent",
      metadata: ["database": "\(database)", "events": "\(TriggerLimits.eventsPerWriteMax)"])
  }

  // MARK: The end

  /// Starts no more deliveries, waits briefly for those in flight, and stores outcomes. Blocks.
  public func stop() {
    state.withLock { $0.isStopped = true }
    for _ in 0..<30 where state.withLock({ $0.inFlightCount }) > 0 {
      // Running handlers may finish; unfinished events are sent again at the next start, with the same ID.
      DispatchSemaphore(value: 0).wait(forMilliseconds: 100)
    }
    for task in state.withLock({ $0.inFlight.values.flatMap(\.values) }) { task.cancel() }
    queue.sync {}
    flushQueue.sync { flush() }
  }
}

extension DispatchSemaphore {
  fileprivate func wait(forMilliseconds milliseconds: Int) {
    _ = wait(timeout: .now() + .milliseconds(milliseconds))
  }
}

extension SenderState {
  /// Adds a queue that may have events.
  mutating func open(_ database: String, _ trigger: String) {
    let id = QueueID(database: database, trigger: trigger)
    if queues[id] == nil { queues[id] = Queue() }
  }
}

extension ShareClaimant {
  /// Creates the claimant of the account whose write made a commit.
  fileprivate init(writerOf change: CommittedChange) {
    let principal = change.principal
    self.init(account: principal.uid, isAdministrator: principal.isAdministrator && !principal.isOverridden)
  }
}
