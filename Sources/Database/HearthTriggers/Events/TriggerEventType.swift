/// The kind of change that a trigger waits for.
public enum TriggerEventType: String, Sendable, CaseIterable {
  /// Any change of the value.
  case write
  /// A value where there was none.
  case create
  /// A change from one value to another.
  case update
  /// The removal of a value.
  case delete

  /// The matching kinds of change.
  public var kinds: Set<EventKind> {
    switch self {
    case .write: Set(EventKind.allCases)
    case .create: [.created]
    case .update: [.updated]
    case .delete: [.deleted]
    }
  }

  /// The name in types of CloudEvents.
  var cloudEventName: String {
    switch self {
    case .write: "written"
    case .create: "created"
    case .update: "updated"
    case .delete: "deleted"
    }
  }

  init?(cloudEventName: some StringProtocol) {
    guard let eventType = Self.allCases.first(where: { $0.cloudEventName == cloudEventName }) else { return nil }
    self = eventType
  }
}
