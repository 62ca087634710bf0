import HearthDatabase
import HearthJournal

/// The outbox for events of created and deleted accounts.
package struct AccountOutbox: Sendable {
  /// Returns the entries of events, which become durable with the changes of the accounts. Called for every attempt to
  /// store them, with the same result.
  package var entries: @Sendable (_ events: [AccountEvent]) -> [OutboxEntry]
  /// The callback for entries that have become durable. Must not block.
  package var stored: @Sendable (_ entries: [OutboxEntry]) -> Void

  /// Creates an outbox from its two functions.
  package init(
    entries: @escaping @Sendable (_ events: [AccountEvent]) -> [OutboxEntry],
    stored: @escaping @Sendable (_ entries: [OutboxEntry]) -> Void
  ) {
    (self.entries, self.stored) = (entries, stored)
  }
}

extension AccountStore {
  /// The journal of outbox entries; nil when these accounts have none.
  package var outboxJournal: (any OutboxJournal)? { database.outboxJournal }

  /// Sets the outbox for accounts that are created or deleted from now on; nil for none.
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
