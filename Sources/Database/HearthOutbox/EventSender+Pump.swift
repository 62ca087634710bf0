import Dispatch
import HearthJournal
import HearthTriggers

/// The transfer of events from the disk to their receivers, and of outcomes back.
extension EventSender {
  /// Schedules the next step.
  func pump() {
    let isFirst = state.withLock { state in
      defer { state.isPumpDue = true }
      return !state.isPumpDue
    }
    if isFirst { queue.async { self.step() } }
  }

  private func step() {
    let isStopped = state.withLock { state in
      state.isPumpDue = false
      return state.isStopped
    }
    guard !isStopped else { return }
    load()
    start()
    setTimer()
  }

  // MARK: From the disk

  private struct Look {
    var id: QueueID
    var source: Int
    var cursor: OutboxPlace?
    var journal: any OutboxJournal
  }

  /// Reads events into memory as far as there is room.
  private func load() {
    let looks = state.withLock { state in
      state.queues.keys.compactMap { id -> Look? in
        guard let queue = state.queues[id], queue.hasMore, !state.followed.contains(id.database),
          let journal = state.journals[id.database],
          let trigger = state.triggers[id.trigger], !trigger.delivery.isPaused
        else { return nil }
        guard trigger.delivery.room >= Self.loadedMax else { return nil }
        // Events that arrive during this read are found by the next one.
        state.queues[id]?.hasMore = false
        return Look(
          id: id, source: state.number(of: id.database), cursor: queue.cursor, journal: journal)
      }
    }
    for look in looks {
      do throws(JournalError) {
        // Events at the beginning may have outcomes that are not stored yet; none is stored during this read.
        if look.cursor == nil {
          try flushQueue.sync { Result { () throws(JournalError) in try load(look) } }.get()
        } else {
          try load(look)
        }
      } catch {
        logger.error(
          "events cannot be read", metadata: ["trigger": "\(look.id.trigger)", "error": "\(error)"])
        environment.schedule(Self.rereadMilliseconds) { [weak self] in
          guard let self else { return }
          state.withLock { $0.queues[look.id]?.hasMore = true }
          pump()
        }
      }
    }
  }

  private func load(_ look: Look) throws(JournalError) {
    let found = try look.journal.waitingEntries(
      of: look.id.trigger, after: look.cursor, countMax: Self.loadedMax)
    state.withLock { state in
      guard state.queues[look.id] != nil, var trigger = state.triggers.removeValue(forKey: look.id.trigger) else {
        return
      }
      defer { state.triggers[look.id.trigger] = trigger }
      if found.count == Self.loadedMax { state.queues[look.id]?.hasMore = true }
      if let last = found.last { state.queues[look.id]?.cursor = last.place }
      let over = look.cursor == nil ? state.placesOver(in: look.id) : []
      let events = found.filter { !over.contains($0.place) }.map { WaitingEvent($0, source: look.source) }
      // A read from the beginning finds events that are already known.
      trigger.delivery.add(events.filter { !trigger.delivery.knows($0) })
    }
  }

  // MARK: To the receivers

  struct Start {
    var event: WaitingEvent
    var id: QueueID
    var definition: TriggerDefinition
    var carrier: any EventCarrier
    var journal: any OutboxJournal
  }

  private func start() {
    let now = environment.clock()
    let starts = state.withLock { $0.starts(now: now) }
    var byQueue: [QueueID: [Start]] = [:]
    for start in starts { byQueue[start.id, default: []].append(start) }
    for (id, starts) in byQueue {
      guard let first = starts.first else { continue }
      var contents: [OutboxPlace: [UInt8]] = [:]
      do throws(JournalError) {
        contents = try first.journal.waitingContents(of: id.trigger, at: starts.map(\.place))
      } catch {
        logger.error("events cannot be read", metadata: ["trigger": "\(id.trigger)", "error": "\(error)"])
        // They keep their position before others of their location.
        for start in starts { ended(start.event, id, .notRun("it cannot be read from the disk")) }
        continue
      }
      for start in starts { send(start, contents[start.place]) }
    }
    flushSoon()
  }

  private func send(_ start: Start, _ content: [UInt8]?) {
    let (event, key) = (start.event, start.event.key)
    guard let content, let carried = carried(start, content) else {
      // The entry is gone or damaged; the others continue.
      state.withLock { state in
        state.triggers[start.id.trigger]?.delivery.forget(key)
        if content != nil {
          state.settle(
            start.id, event, .dead(reason: "the stored event cannot be sent", milliseconds: environment.clock()))
        }
      }
      return pump()
    }
    let task = Task { [weak self] in
      let outcome = await start.carrier.carry(carried)
      self?.ended(event, start.id, outcome)
    }
    state.withLock { state in
      // The delivery may have ended already.
      if state.triggers[start.id.trigger]?.delivery.isUnderWay(key) == true {
        state.inFlight[start.id.trigger, default: [:]][key] = task
      }
    }
  }

  private func carried(_ start: Start, _ content: [UInt8]) -> CarriedEvent? {
    let (definition, key, ref) = (start.definition, start.event.key, start.event.ref)
    let (id, body): (String, [UInt8]?)
    switch definition.subject {
    case .writes(_, let pattern, let moment):
      guard
        let event = TriggerEvent(position: key.position, ordinal: key.ordinal, ref: ref, content: content)
      else { return nil }
      id = event.id(in: start.id.database)
      let envelope = EventEnvelope(
        id: id, sequence: event.sequence, event: event,
        address: EventEnvelope.Address(
          trigger: definition.name, moment: moment, pattern: pattern, database: start.id.database,
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

  // MARK: Back

  private func ended(_ event: WaitingEvent, _ id: QueueID, _ outcome: AttemptOutcome) {
    let key = event.key
    let now = environment.clock()
    let chance = environment.chance()
    var (change, brokeNow, definition): (OutboxChange?, Bool, TriggerDefinition?) = (nil, false, nil)
    state.withLock { state in
      state.inFlight[id.trigger]?[key] = nil
      guard var trigger = state.triggers[id.trigger] else { return }
      // A single owner of the storage avoids a copy.
      state.triggers[id.trigger] = nil
      defer { state.triggers[id.trigger] = trigger }
      let wasBroken = trigger.delivery.isBroken
      definition = trigger.definition
      guard let settlement = trigger.delivery.finish(key, outcome, now: now, chance: chance) else { return }
      trigger.figures.note(outcome, settlement)
      brokeNow = trigger.delivery.isBroken && !wasBroken
      let made = OutboxChange(settlement, at: now)
      change = made
      state.settle(id, event, made)
    }
    if case .dead(let reason, _)? = change {
      logger.warning(
        "an event is a dead letter",
        metadata: ["trigger": "\(id.trigger)", "database": "\(id.database)", "reason": "\(reason)"])
    }
    if brokeNow {
      logger.error(
        "the receiver cannot be reached: events wait, and one at a time is tried",
        metadata: ["trigger": "\(id.trigger)", "failure": "\(outcome)"])
    }
    switch outcome {
    case .gone: notice(.gone(trigger: id.trigger))
    case .unknownFunction where definition?.origin == .emulator: notice(.unknownFunction(trigger: id.trigger))
    default: break
    }
    flushSoon()
    pump()
  }

  /// Schedules the storing of outcomes, which collects those of other events.
  private func flushSoon() {
    let isFirst = state.withLock { state in
      guard !state.settled.isEmpty, !state.isFlushDue else { return false }
      state.isFlushDue = true
      return true
    }
    guard isFirst else { return }
    environment.schedule(Self.flushMilliseconds) { [weak self] in
      guard let self else { return }
      flushQueue.async { self.flush() }
    }
  }

  /// Stores outcomes. Must run on ``flushQueue``.
  func flush() {
    let (settled, journals) = state.withLock { state in
      defer { (state.settled, state.isFlushDue) = ([], false) }
      return (state.settled, state.journals)
    }
    for (database, settled) in Dictionary(grouping: settled, by: \.id.database) {
      do throws(JournalError) {
        try journals[database]?.settle(settled.map { ($0.id.trigger, $0.place, $0.change) })
      } catch {
        logger.error(
          "what became of events cannot be written down",
          metadata: ["database": "\(database)", "error": "\(error)"])
        // After a temporary error the outcomes are stored later; otherwise the events are sent once more after the next
        // start.
        if error.isPassing { state.withLock { $0.settled += settled } }
      }
    }
  }

  private func setTimer() {
    let due = state.withLock { state -> Int64? in
      guard let next = state.triggers.values.compactMap(\.delivery.nextMilliseconds).filter({ $0 > 0 }).min() else {
        return nil
      }
      if let timer = state.timerMilliseconds, timer <= next { return nil }
      state.timerMilliseconds = next
      return next
    }
    guard let due else { return }
    environment.schedule(max(1, due - environment.clock())) { [weak self] in
      guard let self else { return }
      state.withLock { state in
        if state.timerMilliseconds == due { state.timerMilliseconds = nil }
      }
      pump()
    }
  }
}

extension EventSender.Start {
  var place: OutboxPlace { OutboxPlace(position: event.key.position, ordinal: event.key.ordinal) }
}

extension SenderState {
  /// Returns the events that can be sent now. Triggers take turns to be first.
  fileprivate mutating func starts(now: Int64) -> [EventSender.Start] {
    var (starts, slots): ([EventSender.Start], Int) = ([], TriggerLimits.inFlightMax - inFlightCount)
    let names = triggers.keys.sorted()
    guard !names.isEmpty else { return [] }
    turn = (turn + 1) % names.count
    for name in names[turn...] + names[..<turn] {
      guard var trigger = triggers.removeValue(forKey: name) else { continue }
      defer { triggers[name] = trigger }
      let work = trigger.delivery.work(now: now, slots: max(0, slots))
      for event in work.expired {
        trigger.figures.deadCount += 1
        settle(
          QueueID(database: databases[event.key.source], trigger: name), event,
          .dead(reason: "it waited too long", milliseconds: now))
      }
      for event in work.starts {
        slots -= 1
        let id = QueueID(database: databases[event.key.source], trigger: name)
        guard let journal = journals[id.database] else {
          trigger.delivery.forget(event.key)
          continue
        }
        starts.append(
          EventSender.Start(
            event: event, id: id, definition: trigger.definition, carrier: trigger.carrier, journal: journal))
      }
    }
    return starts
  }

}

extension WaitingEvent {
  fileprivate init(_ entry: WaitingEntry, source: Int) {
    self.init(
      key: EventKey(source: source, position: entry.place.position, ordinal: entry.place.ordinal), ref: entry.lane,
      milliseconds: entry.milliseconds, attemptCount: entry.attemptCount, dueMilliseconds: entry.dueMilliseconds,
      sizeBytes: entry.sizeBytes)
  }
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
