/// The subject of a trigger.
public enum TriggerSubject: Sendable, Equatable {
  /// Writes of a kind, at matching locations, in matching databases.
  case writes(databases: DatabasePattern, pattern: TriggerPattern, eventType: TriggerEventType)
  /// Accounts of users.
  case users(UserEventType)

  /// True when it is about accounts instead of writes.
  public var isUsers: Bool { if case .users = self { true } else { false } }
}

/// The target of a trigger's events.
public enum TriggerTarget: Sendable, Equatable {
  /// A URL to which events are posted.
  case url(String)
  /// A plugin by its name.
  case plugin(String)

  /// The URL; nil for a plugin.
  public var url: String? { if case .url(let url) = self { url } else { nil } }
}
