import HearthJournal
import HearthTriggers

/// What becomes of accounts that are made and deleted.
public struct UserOutbox: Sendable {
  /// The entries of events of accounts. Called as often as storing them is tried, with the same outcome.
  public var entries: @Sendable (_ events: [UserEvent]) -> [OutboxEntry]
  /// Told of entries once they are durable. Must not block.
  public var stored: @Sendable (_ entries: [OutboxEntry]) -> Void
}

/// Events of users: their journal is the accounts' own.
extension EventSender {
  /// What becomes of accounts with the triggers as they are now; nil when none is about users.
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

  /// Sends what waits in the accounts' journal, and what comes.
  ///
  /// - Returns: The queues that it has events in.
  @discardableResult
  public func attachUsers(_ journal: any OutboxJournal) throws(JournalError) -> [String] {
    try attach(journal, as: UserEvent.source)
  }

  /// One entry for each event and trigger, numbered within each commit.
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
