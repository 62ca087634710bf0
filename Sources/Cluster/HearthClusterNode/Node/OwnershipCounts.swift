import Synchronization

/// The counters of a node's ownership changes.
package final class OwnershipCounts: Sendable {
  /// The counts since the node's start.
  package struct Values: Sendable, Equatable {
    /// The number of databases whose owner the node became.
    package var takeovers: Int64 = 0
    /// The number of ownerships that ended.
    package var ends: Int64 = 0
    /// The number of times that the store lacked acknowledged rows.
    package var losses: Int64 = 0
  }

  private let values = Mutex(Values())

  var now: Values { values.withLock { $0 } }

  func note(_ notice: EngineHost.Notice) {
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
