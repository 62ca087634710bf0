import HearthSync

/// What can happen at a place that is observed.
public enum DataEventType: Int, Sendable, CaseIterable {
  /// A child is there that was not: at first each one.
  case childAdded
  /// A child is gone.
  case childRemoved
  /// Something in a child is different.
  case childChanged
  /// What a child is ordered by is different.
  case childMoved
  /// Anything at the place is different: at first the whole of it, once it is known.
  case value
}

extension DataEventType {
  /// The same as the core calls it.
  var eventType: EventTypes {
    switch self {
    case .childAdded: .childAdded
    case .childRemoved: .childRemoved
    case .childChanged: .childChanged
    case .childMoved: .childMoved
    case .value: .value
    }
  }
}

/// Names an observer, for ``DatabaseQuery/removeObserver(withHandle:)``.
public typealias DatabaseHandle = UInt
