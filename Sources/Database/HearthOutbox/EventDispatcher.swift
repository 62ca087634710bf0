import HearthJournal
import HearthTriggers
import Logging
import Synchronization

/// The dispatcher that sends events in memory to their receivers. It passes the outcomes on to the queues and to
/// ``OutcomeWriter``.
final class EventDispatcher: Sendable {
  private struct Start {
    var event: WaitingEvent
    var id: QueueID
    var definition: TriggerDefinition
    var carrier: any EventCarrier
    var journal: any OutboxJournal
  }

  private let table: QueueTable
  private let outcomes: OutcomeWriter
  private let environment: SenderEnvironment
  private let logger: Logger
  private let notice: @Sendable (TriggerNotice) -> Void
  private let inFlight = Mutex<[String: [EventKey: Task<Void, Never>]]>([:])

  init(
    table: QueueTable, outcomes: OutcomeWriter, environment: SenderEnvironment, logger: Logger,
    notice: @escaping @Sendable (TriggerNotice) -> Void
  ) {
    (self.table, self.outcomes, self.environment, self.logger) = (table, outcomes, environment, logger)
    self.notice = notice
  }

  /// Starts the deliveries that are due. Blocks while it reads contents from the disk.
  ///
  /// - Parameter ended: Called on any thread after each delivery, because other deliveries may be due then..
  func start(ended: @escaping @Sendable () -> Void) {
    let now = environment.clock()
    let starts = table.state.withLock { table in self.starts(&table, now: now) }
    var byQueue: [QueueID: [Start]] = [:]
    for start in starts { byQueue[start.id, default: []].append(start) }
    for (id, starts) in byQueue {
      guard let first = starts.first else { continue }
      var contents: [OutboxPlace: [UInt8]] = [:]
      do throws(JournalError) {
        contents = try first.journal.waitingContents(of: id.trigger, at: starts.map(\.event.place))
      } catch {
        logger.error("events cannot be read", metadata: ["trigger": "\(id.trigger)", "error": "\(error)"])
        // The dropped events keep their position before later events of their location.
        for start in starts {
          finish(start.event, id, .notRun("the event cannot be read from the disk"))
          ended()
        }
        continue
      }
      for start in starts { send(start, contents[start.event.place], ended) }
    }
    outcomes.flushSoon()
  }

  /// Returns the events that can be sent now. Triggers take turns to be first.
  private func starts(_ table: inout QueueTable.State, now: Int64) -> [Start] {
    var (starts, slots): ([Start], Int) = ([], TriggerLimits.inFlightMax - table.inFlightCount)
    for name in table.namesInTurn() {
      guard var trigger = table.triggers.removeValue(forKey: name) else { continue }
      defer { table.triggers[name] = trigger }
      let work = trigger.delivery.work(now: now, slots: max(0, slots))
      for event in work.expired {
        trigger.figures.deadCount += 1
        settle(
          QueueID(database: table.databases[event.key.source], trigger: name), event,
          .dead(reason: "the event waited too long", milliseconds: now), in: &table)
      }
      for event in work.starts {
        slots -= 1
        let id = QueueID(database: table.databases[event.key.source], trigger: name)
        guard let journal = table.journals[id.database] else {
          trigger.delivery.forget(event.key)
          continue
        }
        starts.append(
          Start(event: event, id: id, definition: trigger.definition, carrier: trigger.carrier, journal: journal))
      }
    }
    return starts
  }

  private func send(_ start: Start, _ content: [UInt8]?, _ ended: @escaping @Sendable () -> Void) {
    let (event, id, key) = (start.event, start.id, start.event.key)
    guard let content, let carried = carried(start, content) else {
      // The entry was removed or is damaged; the other events continue.
      table.state.withLock { table in
        table.triggers[id.trigger]?.delivery.forget(key)
        if content != nil {
          settle(
            id, event, .dead(reason: "the stored event cannot be sent", milliseconds: environment.clock()), in: &table)
        }
      }
      return ended()
    }
    let carrier = start.carrier
    let task = Task { [weak self] in
      let outcome = await carrier.carry(carried)
      self?.finish(event, id, outcome)
      ended()
    }
    table.state.withLock { table in
      // The delivery may have ended before its task was recorded here.
      if table.triggers[id.trigger]?.delivery.isUnderWay(key) == true {
        inFlight.withLock { $0[id.trigger, default: [:]][key] = task }
      }
    }
  }

  private func carried(_ start: Start, _ content: [UInt8]) -> CarriedEvent? {
    let (definition, key, ref) = (start.definition, start.event.key, start.event.ref)
    let (id, body): (String, [UInt8]?)
    switch definition.subject {
    case .writes(_, let pattern, let eventType):
      guard
        let event = TriggerEvent(position: key.position, ordinal: key.ordinal, ref: ref, content: content)
      else { return nil }
      id = event.id(in: start.id.database)
      let envelope = EventEnvelope(
        id: id, sequence: event.sequence, event: event,
        address: EventEnvelope.Address(
          trigger: definition.name, eventType: eventType, pattern: pattern, database: start.id.database,
          location: definition.location, host: environment.host))
      body = envelope.body(definition.form)
    case .users:
      guard let event = UserEvent(position: key.position, ordinal: key.ordinal, uid: ref, content: content) else {
        return nil
      }
      id = event.id
      body = UserEnvelope(event: event, trigger: definition.name, project: environment.project).body(definition.form)
    }
    return body.map { CarriedEvent(id: id, body: $0, seconds: environment.clock() / 1_000) }
  }

  /// Handles the outcome of a delivery.
  private func finish(_ event: WaitingEvent, _ id: QueueID, _ outcome: AttemptOutcome) {
    let key = event.key
    let now = environment.clock()
    let chance = environment.chance()
    var (change, brokeNow, definition): (OutboxChange?, Bool, TriggerDefinition?) = (nil, false, nil)
    table.state.withLock { table in
      inFlight.withLock { $0[id.trigger]?[key] = nil }
      guard var trigger = table.triggers[id.trigger] else { return }
      // Takes the queue out of the table while it is changed: with a single owner, its storage is not copied.
      table.triggers[id.trigger] = nil
      defer { table.triggers[id.trigger] = trigger }
      let wasBroken = trigger.delivery.isCircuitOpen
      definition = trigger.definition
      guard let settlement = trigger.delivery.finish(key, outcome, now: now, chance: chance) else { return }
      trigger.figures.note(outcome, settlement)
      brokeNow = trigger.delivery.isCircuitOpen && !wasBroken
      let made = OutboxChange(settlement, at: now)
      change = made
      settle(id, event, made, in: &table)
    }
    if case .dead(let reason, _)? = change {
      logger.warning(
        "an event is a dead letter",
        metadata: ["trigger": "\(id.trigger)", "database": "\(id.database)", "reason": "\(reason)"])
    }
    if brokeNow {
      logger.error(
        "the receiver is unreachable: events wait, and the trigger retries one at a time",
        metadata: ["trigger": "\(id.trigger)", "failure": "\(outcome)"])
    }
    switch outcome {
    case .gone: notice(.gone(trigger: id.trigger))
    case .unknownFunction where definition?.origin == .emulator: notice(.unknownFunction(trigger: id.trigger))
    default: break
    }
    outcomes.flushSoon()
  }

  private func settle(_ id: QueueID, _ event: WaitingEvent, _ change: OutboxChange, in table: inout QueueTable.State) {
    outcomes.add(id, event.place, change)
    if case .waits = change { return }
    table.release(id, event.place, sizeBytes: event.sizeBytes)
  }

  /// Cancels the deliveries in flight.
  func cancelAll() {
    for task in inFlight.withLock({ $0.values.flatMap(\.values) }) { task.cancel() }
  }
}

extension WaitingEvent {
  fileprivate var place: OutboxPlace { OutboxPlace(position: key.position, ordinal: key.ordinal) }
}

extension OutboxChange {
  fileprivate init(_ settlement: EventSettlement, at milliseconds: Int64) {
    switch settlement {
    case .delivered: self = .done
    case .waits(let count, let due): self = .waits(attemptCount: count, dueMilliseconds: due)
    case .dead(let reason): self = .dead(reason: reason, milliseconds: milliseconds)
    }
  }
}
