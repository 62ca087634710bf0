import HearthJournal
import HearthTree
import HearthTriggers

/// The dead letters in the journals of all databases. All operations block for disk access and must not run on an event
/// loop.
public final class DeadLetterStore: Sendable {
  private let table: QueueTable
  private let outcomes: OutcomeWriter
  private let pump: EventPump
  private let environment: SenderEnvironment

  init(table: QueueTable, outcomes: OutcomeWriter, pump: EventPump, environment: SenderEnvironment) {
    (self.table, self.outcomes, self.pump, self.environment) = (table, outcomes, pump, environment)
  }

  /// Returns a trigger's dead letters in all databases, at most ``TriggerLimits/deadLettersListedMax``.
  public func list(of trigger: String) throws(JournalError) -> [JSON] {
    var letters: [JSON] = []
    for (database, journal) in table.journals.sorted(by: { $0.key < $1.key })
    where letters.count < TriggerLimits.deadLettersListedMax {
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
  /// - Parameter letter: The dead letter, as ``list(of:)`` names it; nil for all of them.
  /// - Returns: The number of queued events; nil for an invalid name.
  public func replay(_ trigger: String, letter: String?) throws(JournalError) -> Int? {
    var (count, place, only): (Int, OutboxPlace?, String?) = (0, nil, nil)
    if let letter {
      let parts = letter.split(separator: ":")
      guard parts.count == 3, let position = Int64(parts[1]), let ordinal = Int32(parts[2]) else { return nil }
      (place, only) = (OutboxPlace(position: position, ordinal: ordinal), String(parts[0]))
    }
    for (database, journal) in table.journals where only == nil || only == database {
      let revived = try journal.revive(trigger, at: place, countMax: TriggerLimits.deadLettersListedMax)
      guard revived > 0 else { continue }
      count += revived
      reread(QueueID(database: database, trigger: trigger), adding: revived)
    }
    return count
  }

  /// Reads a queue from its beginning, because older events were put back into it.
  private func reread(_ id: QueueID, adding count: Int) {
    // Outcomes of sent events must be on the disk first; otherwise the read would find these events again.
    outcomes.flush()
    pump.sync {
      table.state.withLock { table in
        guard table.queues[id] != nil, table.triggers[id.trigger] != nil else { return }
        table.queues[id]?.shares.total.count += count
        table.reread(trigger: id.trigger)
      }
    }
  }

  /// Makes all waiting events of a removed trigger dead letters.
  public func giveUp(_ trigger: String, reason: String) throws(JournalError) {
    for journal in table.journals.values {
      try journal.giveUp(trigger, reason: reason, milliseconds: environment.clock())
    }
  }

  /// Removes dead letters.
  ///
  /// - Parameter isAll: True to remove all of them; otherwise only those that exceed the limits of age and total size.
  public func remove(of trigger: String, isAll: Bool) throws(JournalError) -> Int {
    let before = isAll ? Int64.max : environment.clock() - Int64(TriggerLimits.deadLetterSecondsMax) * 1_000
    var count = 0
    for journal in table.journals.values {
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
