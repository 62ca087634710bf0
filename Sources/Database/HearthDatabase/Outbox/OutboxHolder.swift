import HearthEngine
import HearthJournal
import HearthTree
import Synchronization

/// The current outbox of a database. Reads one atomic flag while there is none.
package final class OutboxHolder: Sendable {
  let journal: (any OutboxJournal)?
  private let outbox: Mutex<DatabaseOutbox?>
  private let isSet: Atomic<Bool>

  init(journal: (any OutboxJournal)?, _ outbox: DatabaseOutbox?) {
    let outbox = journal == nil ? nil : outbox
    self.journal = journal
    self.outbox = Mutex(outbox)
    isSet = Atomic(outbox != nil)
  }

  func set(_ outbox: DatabaseOutbox?) {
    guard journal != nil else { return }
    self.outbox.withLock { own in
      own = outbox
      isSet.store(outbox != nil, ordering: .releasing)
    }
  }

  /// The observer of changes for the batch that the engine decides next.
  package var commitObserver: CommitObserver? {
    guard isSet.load(ordering: .acquiring) else { return nil }
    return outbox.withLock { $0 }.map { CommitObserver(refusal: $0.refusal) }
  }

  /// Returns the entries of commits.
  package func entries(of changes: [CommittedChange]) -> [OutboxEntry] {
    changes.isEmpty ? [] : outbox.withLock { $0 }?.entries(changes) ?? []
  }

  /// Reports durable entries.
  package func stored(_ entries: [OutboxEntry]) { outbox.withLock { $0 }?.stored(entries) }

  /// Appends a batch together with the entries of its commits.
  func append(
    _ batch: JournalBatch, of changes: [CommittedChange], to log: any Journal, after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    guard !changes.isEmpty, let journal, let outbox = outbox.withLock({ $0 }) else {
      return try log.append(batch, after: head)
    }
    let (entries, faults) = FaultScope.run(.install) { outbox.entries(changes) }
    // The commits are decided already, and their entries are not known: the database stops.
    if faults.isIncomplete {
      throw JournalError(.corrupt, "a page that the triggers of a commit need cannot be read")
    }
    guard !entries.isEmpty else { return try log.append(batch, after: head) }
    let head = try journal.append(batch, with: entries, after: head)
    outbox.stored(entries)
    return head
  }
}
