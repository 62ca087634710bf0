import HearthDatabase
import HearthJournal
import Synchronization

/// A snapshot that replaces pruned rows of a database's log, from its loading until the ``EngineHost`` takes it.
final class LoadedSnapshot: Sendable {
  private let loaded = Mutex<(head: JournalHead, start: ReplicationStart)?>(nil)

  func put(_ start: ReplicationStart, at head: JournalHead) { loaded.withLock { $0 = (head, start) } }

  /// Removes and returns the state at a head; nil when another state was loaded.
  func take(at head: JournalHead) -> ReplicationStart? {
    loaded.withLock { loaded in
      defer { loaded = nil }
      return loaded?.head == head ? loaded?.start : nil
    }
  }
}
