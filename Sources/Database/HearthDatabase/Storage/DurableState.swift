import HearthEngine
import Synchronization

/// The last durable state of a database, for its readers.
final class DurableState: Sendable {
  private let current: Mutex<DatabaseState>

  init(_ state: DatabaseState) { current = Mutex(state) }

  var state: DatabaseState { current.withLock { $0 } }

  func replace(_ state: DatabaseState) { current.withLock { $0 = state } }

  /// Replaces the state by one with the same content and other pages in memory, if it is still at the same position.
  func replace(withSame state: DatabaseState) {
    current.withLock { if $0.position == state.position { $0 = state } }
  }
}
