import HearthJournal
import HearthTriggers

/// The outbox for events of created and deleted accounts.
public struct UserOutbox: Sendable {
  /// Returns the entries for events of accounts. Called for each attempt to store them, with the same result.
  public var entries: @Sendable (_ events: [UserEvent]) -> [OutboxEntry]
  /// Called with entries once they are durable. Must not block.
  public var stored: @Sendable (_ entries: [OutboxEntry]) -> Void
}

/// Events of users, which are in the accounts' own journal.
extension EventSender {
  /// Returns the outbox for account events under the present triggers, or nil when none is about users.
  public func userOutbox() -> UserOutbox? {
    let all = state.withLock { $0.triggers.values.map(\.definition) }
    let triggers = all.compactMap { definition -> (name: String, moment: UserMoment)? in
      guard case .users(let moment) = definition.subject else { return nil }
      return (definition.name, moment)
    }.sorted { $0.name < $1.name }
    guard !triggers.isEmpty else { return nil }
    return UserOutbox { [self] events in
      bounded(Self.entries(of: events, for: triggers), of: UserEvent.source)
    } stored: { [self] entries in
      stored(entries, in: UserEvent.source)
    }
  }

  /// Starts to send waiting and new events of the accounts' journal.
  ///
  /// - Returns: The queues with events.
  @discardableResult
  public func attachUsers(_ journal: any OutboxJournal) throws(JournalError) -> [String] {
    try attach(journal, as: UserEvent.source)
  }

  /// Returns one entry for each event and trigger, numbered within each commit.
  private static func entries(
    of events: [UserEvent], for triggers: [(name: String, moment: UserMoment)]
  ) -> [OutboxEntry] {
    var (entries, position, ordinal): ([OutboxEntry], Int64?, Int32) = ([], nil, 0)
    for event in events {
      if event.position != position { (position, ordinal) = (event.position, 0) }
      for trigger in triggers where trigger.moment == event.moment {
        ordinal += 1
        entries.append(
          OutboxEntry(
            queue: trigger.name, place: OutboxPlace(position: event.position, ordinal: ordinal), lane: event.uid,
            milliseconds: event.milliseconds, content: event.content))
      }
    }
    return entries
  }
}
