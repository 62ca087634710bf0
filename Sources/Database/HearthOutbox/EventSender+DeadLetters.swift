import HearthJournal
import HearthTree
import HearthTriggers

/// Operators' queries about events, and operations on dead letters. All of them block for disk access and must not run
/// on an event loop.
extension EventSender {
  /// Returns the status of a trigger: `{"waiting","waitingBytes","oldestMilliseconds","inFlight","dead",…}`.
  public func status(of trigger: String) throws(JournalError) -> JSON {
    let (known, journals) = state.withLock { ($0.triggers[trigger], $0.journals) }
    var total = OutboxFigures()
    for journal in journals.values {
      let figures = try journal.outboxFigures(of: trigger)
      total.waitingCount += figures.waitingCount
      total.waitingBytes += figures.waitingBytes
      total.deadCount += figures.deadCount
      total.deadBytes += figures.deadBytes
      total.oldestMilliseconds = [total.oldestMilliseconds, figures.oldestMilliseconds].compactMap(\.self).min()
    }
    let figures = known?.figures ?? TriggerFigures()
    var json: JSON = [
      "waiting": .int(Int64(total.waitingCount)), "waitingBytes": .int(Int64(total.waitingBytes)),
      "oldestMilliseconds": total.oldestMilliseconds.map { .int($0) } ?? .null,
      "inFlight": .int(Int64(known?.delivery.inFlightCount ?? 0)), "dead": .int(Int64(total.deadCount)),
      "deadBytes": .int(Int64(total.deadBytes)), "attempts": .int(figures.attemptCount),
      "delivered": .int(figures.deliveredCount), "notRun": .int(figures.notRunCount),
      "failed": .int(figures.failedCount), "unknown": .int(figures.unknownCount), "refused": .int(figures.refusedCount),
      "isUnreachable": .bool(known?.delivery.isBroken == true),
    ]
    if let failure = figures.lastFailure { json["lastFailure"] = .string(failure) }
    return json
  }

  /// Returns a trigger's dead letters in all databases, at most as many as one request lists.
  public func deadLetters(of trigger: String) throws(JournalError) -> [JSON] {
    let journals = state.withLock { $0.journals }.sorted { $0.key < $1.key }
    var letters: [JSON] = []
    for (database, journal) in journals where letters.count < TriggerLimits.deadLettersListedMax {
      let found = try journal.deadEntries(
        of: trigger, after: nil, countMax: TriggerLimits.deadLettersListedMax - letters.count)
      letters += found.map { letter($0, database, id: "\(database):\($0.place.position):\($0.place.ordinal)") }
    }
    return letters
  }

  private func letter(_ entry: DeadEntry, _ database: String, id: String) -> JSON {
    let place: [JSON.Member] =
      database == UserEvent.source
      ? [.init("user", .string(entry.lane))]
      : [.init("database", .string(database)), .init("path", .string("/" + entry.lane))]
    return .object(
      [
        .init("letter", .string(id))
      ] + place + [
        .init("milliseconds", .int(entry.milliseconds)), .init("deadMilliseconds", .int(entry.deadMilliseconds)),
        .init("attempts", .int(Int64(entry.attemptCount))), .init("reason", .string(entry.reason)),
      ])
  }

  /// Queues dead letters for delivery again, with their old IDs.
  ///
  /// - Parameter letter: The dead letter, as ``deadLetters(of:)`` names it; nil for all of them.
  /// - Returns: The number of queued events; nil for an invalid name.
  public func replay(_ trigger: String, letter: String?) throws(JournalError) -> Int? {
    let journals = state.withLock { $0.journals }
    var (count, place, only): (Int, OutboxPlace?, String?) = (0, nil, nil)
    if let letter {
      let parts = letter.split(separator: ":")
      guard parts.count == 3, let position = Int64(parts[1]), let ordinal = Int32(parts[2]) else { return nil }
      (place, only) = (OutboxPlace(position: position, ordinal: ordinal), String(parts[0]))
    }
    for (database, journal) in journals where only == nil || only == database {
      let revived = try journal.revive(trigger, at: place, countMax: TriggerLimits.deadLettersListedMax)
      guard revived > 0 else { continue }
      count += revived
      lookAgain(QueueID(database: database, trigger: trigger), adding: revived)
    }
    return count
  }

  /// Reads all queues from their beginnings, because another server has put older events back into some.
  public func lookAgain() {
    queue.async { [self] in
      flushQueue.sync { flush() }
      state.withLock { state in
        for definition in state.triggers.values.map(\.definition) { state.forgetIdle(definition) }
      }
      pump()
    }
  }

  /// Reads a queue from its beginning, because older events are in it again.
  private func lookAgain(_ id: QueueID, adding count: Int) {
    // Outcomes of sent events must be on the disk first, so that these events are not found again.
    flushQueue.sync { flush() }
    queue.sync {
      state.withLock { state in
        guard state.queues[id] != nil, let definition = state.triggers[id.trigger]?.definition else { return }
        state.queues[id]?.shares.total.count += count
        state.forgetIdle(definition)
      }
    }
    pump()
  }

  /// Makes all waiting events of a removed trigger dead letters.
  public func giveUp(_ trigger: String, reason: String) throws(JournalError) {
    let journals = state.withLock { $0.journals }
    for journal in journals.values {
      try journal.giveUp(trigger, reason: reason, milliseconds: environment.clock())
    }
  }

  /// Removes dead letters.
  ///
  /// - Parameter isAll: True to remove all of them; otherwise only those beyond the limits of age and total size.
  public func removeDeadLetters(of trigger: String, isAll: Bool) throws(JournalError) -> Int {
    let before = isAll ? Int64.max : environment.clock() - Int64(TriggerLimits.deadLetterSecondsMax) * 1_000
    var count = 0
    for journal in state.withLock({ Array($0.journals.values) }) {
      while true {
        let removed = try journal.removeDeadEntries(
          of: trigger, beforeMilliseconds: before, sizeBytesMax: isAll ? 0 : TriggerLimits.deadLetterBytesMax)
        count += removed
        if removed == 0 { break }
      }
    }
    return count
  }
}

extension SenderState {
  /// Drops events that are not in flight, so that they are read again in order.
  mutating func lookAgain(at database: String) {
    for id in queues.keys where id.database == database {
      if let definition = triggers[id.trigger]?.definition { forgetIdle(definition) }
    }
  }

  /// Drops a trigger's events that are not in flight, so that they are read again in order.
  fileprivate mutating func forgetIdle(_ definition: TriggerDefinition) {
    let name = definition.name
    triggers[name]?.delivery.forgetIdle()
    for id in queues.keys where id.trigger == name {
      queues[id]?.cursor = nil
      queues[id]?.hasMore = true
    }
  }
}
