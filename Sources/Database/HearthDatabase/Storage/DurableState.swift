import HearthEngine
import Synchronization

/// The last durable state of a database, for its readers.
final class DurableState: Sendable {
  private let current: Mutex<Published>

  init(_ state: Published) { current = Mutex(state) }

  var state: Published { current.withLock { $0 } }

  func replace(_ state: Published) { current.withLock { $0 = state } }
}
