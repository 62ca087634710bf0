import HearthEngine
import Synchronization

/// The sessions of all loops by their ids, so that a client that comes back can end what it left behind.
final class SessionDirectory: Sendable {
  private struct Entry {
    let connection: ConnectionID
    let database: String
  }

  private let entries = Mutex<[String: Entry]>([:])

  func insert(_ session: String, _ connection: ConnectionID, database: String) {
    entries.withLock { $0[session] = Entry(connection: connection, database: database) }
  }

  func remove(_ session: String) { _ = entries.withLock { $0.removeValue(forKey: session) } }

  /// Ends a session that may still be open: for the database at once, before any command that the caller submits
  /// after this; for the socket as soon as its loop gets to it. Unknown ids are ignored.
  func end(_ session: String, of database: Database, _ router: EffectRouter) {
    let entry = entries.withLock { entries -> Entry? in
      guard let entry = entries[session], entry.database == database.name else { return nil }
      entries[session] = nil
      return entry
    }
    guard let entry else { return }
    database.submit([Command(connection: entry.connection, action: .disconnect)])
    router.execute(for: entry.connection) { hub in hub.socket(entry.connection)?.replace() }
  }
}
