import Synchronization

/// Counts what happens to a node's ownerships.
package final class OwnershipCounts: Sendable {
  /// How often it happened.
  package struct Values: Sendable, Equatable {
    /// It became the owner of a database.
    package var takeovers: Int64 = 0
    /// It is the owner no longer.
    package var ends: Int64 = 0
    /// The store lacked what it had acknowledged.
    package var losses: Int64 = 0
  }

  private let values = Mutex(Values())

  var now: Values { values.withLock { $0 } }

  func note(_ notice: EngineTenant.Notice) {
    values.withLock { values in
      switch notice {
      case .began: values.takeovers += 1
      case .ended: values.ends += 1
      case .dataLost: values.losses += 1
      case .room, .unreadable: break
      }
    }
  }
}
