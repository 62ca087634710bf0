import HearthDatabase
import HearthJournal

/// What is made of accounts that come and go.
package struct AccountOutbox: Sendable {
  /// The entries of events, which become durable with the changes that the events are of. Called as often as storing them
  /// is tried, with the same outcome.
  package var entries: @Sendable (_ events: [AccountEvent]) -> [OutboxEntry]
  /// Told of entries once they are durable. Must not block.
  package var stored: @Sendable (_ entries: [OutboxEntry]) -> Void

  /// An outbox of these parts.
  package init(
    entries: @escaping @Sendable (_ events: [AccountEvent]) -> [OutboxEntry],
    stored: @escaping @Sendable (_ entries: [OutboxEntry]) -> Void
  ) {
    (self.entries, self.stored) = (entries, stored)
  }
}

extension AccountStore {
  /// The place where entries are kept; nil when the journal of these accounts keeps none.
  package var outboxJournal: (any OutboxJournal)? { database.outboxJournal }

  /// Makes something of every account that is made or deleted from now on; nil makes nothing.
  package func setOutbox(_ outbox: AccountOutbox?) {
    let made = outbox.map { outbox in
      DatabaseOutbox { [damage] changes in
        let events = changes.flatMap { AccountEvent.events(of: $0, damage: damage) }
        return events.isEmpty ? [] : outbox.entries(events)
      } stored: { entries in
        outbox.stored(entries)
      }
    }
    database.setOutbox(made)
  }
}
