import HearthEngine
import Synchronization

/// The last durable state of a database, for its readers.
final class DurableState: Sendable {
  private let current: Mutex<DatabaseState>

  init(_ state: DatabaseState) { current = Mutex(state) }

  var state: DatabaseState { current.withLock { $0 } }

  func replace(_ state: DatabaseState) { current.withLock { $0 = state } }
}
