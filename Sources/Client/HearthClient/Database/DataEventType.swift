import HearthSync

/// The type of an event at an observed path.
public enum DataEventType: Int, Sendable, CaseIterable {
  /// A child was added; initially sent for each existing child.
  case childAdded
  /// A child was removed.
  case childRemoved
  /// The data of a child changed.
  case childChanged
  /// The order value of a child changed.
  case childMoved
  /// The data at the path changed; initially sent once it is known completely.
  case value
}

extension DataEventType {
  /// The corresponding type in ``SyncCore``.
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

/// The identifier of an observer, for ``DatabaseQuery/removeObserver(withHandle:)``.
public typealias DatabaseHandle = UInt
