import Dispatch
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthOutbound
import HearthTree
import HearthTriggers
import Logging
import Synchronization

/// Sends the events of all triggers: makes them of commits, keeps them in the journals of their databases, and posts them
/// until they are taken. No write waits for it.
///
/// What is to be sent is on the disk; in memory are places and times of a bounded number of events, and the contents of
/// those under way.
public final class EventSender: Sendable {
  let environment: SenderEnvironment
  let logger: Logger
  let state = Mutex(SenderState())
  let notice: @Sendable (TriggerNotice) -> Void
  /// The place where events are taken from the disk and sent on.
  let queue = DispatchQueue(label: "hearth.triggers")
  /// The place where outcomes are written down.
  let flushQueue = DispatchQueue(label: "hearth.triggers.flush")

  /// The time that outcomes are collected before they are written down together. A crash within that time has them sent
  /// again.
  static let flushMilliseconds: Int64 = 50
  /// Events that are looked up on the disk at a time.
  static let loadedMax = 512
  /// The time that it takes until events are looked up once more that could not be read.
  static let rereadMilliseconds: Int64 = 5_000

  /// A sender without triggers.
  ///
  /// - Parameters:
  ///   - isSending: events are sent; without it they are kept.
  ///   - notice: told what the registrations should be changed for, from any thread.
  public init(
    environment: SenderEnvironment, isSending: Bool, logger: Logger, notice: @escaping @Sendable (TriggerNotice) -> Void
  ) {
    (self.environment, self.logger, self.notice) = (environment, logger, notice)
    if !isSending { state.withLock { $0.isStopped = true } }
  }

  // MARK: Registrations

  /// Goes by these triggers from now on. Those of a name that is known keep their events.
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
    // What is no URL for requests is refused with each of them.
    let policy = try? OutboundPolicy.receiving(at: url, allowsPrivate: definition.allowsPrivate)
    return WebCarrier(url: url, definition: definition, client: environment.client(policy ?? .publicHTTPS))
  }

  /// Other plugins run than before: what waits for one is tried at once.
  public func pluginsChanged() {
    state.withLock { state in
      for (name, trigger) in state.triggers where trigger.definition.target.url == nil {
        state.triggers[name]?.delivery.receiverIsBack()
      }
    }
    pump()
  }

  // MARK: Databases

  /// What becomes of a database's commits with the triggers as they are now; nil when none is about it.
  ///
  /// - Parameter isStrict: writes with too many or too large events are refused.
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

  /// Sends what waits in a database, and what comes.
  ///
  /// - Returns: The queues that it has events in.
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

  /// Counts what waits in a database.
  ///
  /// - Returns: The queues that it has events in.
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

  /// Returns true when events of a database are sent from here, or by another server that shares its journal. What is
  /// under way goes on; what the other one has not heard of by then, it sends once more.
  public func setSending(_ isSending: Bool, of database: String) {
    queue.async { [self] in
      let journal = state.withLock { state in
        if isSending { state.followed.remove(database) } else { state.followed.insert(database) }
        state.lookAgain(at: database)
        return state.journals[database]
      }
      // Outcomes are on the disk before anybody looks there again.
      flushQueue.sync { flush() }
      // What the other one added and took is not counted here.
      if isSending, let journal { recount(journal, of: database) }
      pump()
    }
  }

  /// Nothing is sent any more of what waits in a database: it is no more.
  public func detach(_ database: String) {
    state.withLock { state in
      state.journals[database] = nil
      state.followed.remove(database)
      state.queues = state.queues.filter { $0.key.database != database }
      state.settled.removeAll { $0.id.database == database }
    }
  }

  /// Marks what a full queue does not take, or does not take of an account that has most of it. Entries are made again when
  /// storing them fails, so nothing is counted here.
  ///
  /// - Parameter writers: the accounts that made the commits, by the commits' positions.
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

  /// The reason why an event is a dead letter at once.
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

  /// Starts nothing more, waits a moment for what is under way, and writes outcomes down. Blocks.
  public func stop() {
    state.withLock { $0.isStopped = true }
    for _ in 0..<30 where state.withLock({ $0.inFlightCount }) > 0 {
      // Handlers that are at it may end; what they do not end is sent again at the next start, with the same id.
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
  /// A queue that may hold something.
  mutating func open(_ database: String, _ trigger: String) {
    let id = QueueID(database: database, trigger: trigger)
    if queues[id] == nil { queues[id] = Queue() }
  }
}

extension ShareClaimant {
  /// The account whose write made a commit.
  fileprivate init(writerOf change: CommittedChange) {
    let principal = change.principal
    self.init(account: principal.uid, isAdministrator: principal.isAdministrator && !principal.isOverridden)
  }
}
