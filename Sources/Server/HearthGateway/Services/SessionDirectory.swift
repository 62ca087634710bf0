import HearthDatabase
import HearthEngine
import Synchronization

/// The sessions of all loops by their ids, so that a reconnecting client can end its earlier one.
final class SessionDirectory: Sendable {
  private struct Entry {
    let connection: ConnectionID
    let database: String
  }

  private let entries = Mutex<[String: Entry]>([:])

  var count: Int { entries.withLock { $0.count } }

  func insert(_ session: String, _ connection: ConnectionID, database: String) {
    entries.withLock { $0[session] = Entry(connection: connection, database: database) }
  }

  /// Returns the connection of a session that a client wants to continue over another transport; nil when there is
  /// none.
  func connection(of session: String, database: String) -> ConnectionID? {
    let entry = entries.withLock { $0[session] }
    return entry?.database == database ? entry?.connection : nil
  }

  func remove(_ session: String) { _ = entries.withLock { $0.removeValue(forKey: session) } }

  /// Ends a session that may still be open: for the database before any command that the new connection submits after
  /// this; for the socket as soon as its loop handles it. Unknown ids are ignored.
  func end(_ session: String, before new: ConnectionID, of database: Database, _ router: EffectRouter) {
    let entry = entries.withLock { entries -> Entry? in
      guard let entry = entries[session], entry.database == database.name else { return nil }
      entries[session] = nil
      return entry
    }
    guard let entry else { return }
    database.end(entry.connection, before: new)
    router.execute(for: entry.connection) { hub in hub.client(entry.connection)?.replace() }
  }
}
