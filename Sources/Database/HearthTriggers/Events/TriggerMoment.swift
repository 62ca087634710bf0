/// What a trigger waits for.
public enum TriggerMoment: String, Sendable, CaseIterable {
  /// Any other value than before.
  case write
  /// A value where there was none.
  case create
  /// Another value.
  case update
  /// No value where there was one.
  case delete

  /// What happens then.
  public var kinds: Set<EventKind> {
    switch self {
    case .write: Set(EventKind.allCases)
    case .create: [.created]
    case .update: [.updated]
    case .delete: [.deleted]
    }
  }

  /// As types of CloudEvents name it.
  var cloudEventName: String {
    switch self {
    case .write: "written"
    case .create: "created"
    case .update: "updated"
    case .delete: "deleted"
    }
  }

  init?(cloudEventName: some StringProtocol) {
    guard let moment = Self.allCases.first(where: { $0.cloudEventName == cloudEventName }) else { return nil }
    self = moment
  }
}
