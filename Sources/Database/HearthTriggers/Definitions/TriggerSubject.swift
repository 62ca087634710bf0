/// The subject of a trigger.
public enum TriggerSubject: Sendable, Equatable {
  /// Writes with a kind of change, at matching locations in matching databases.
  case writes(databases: DatabasePattern, pattern: TriggerPattern, eventType: TriggerEventType)
  /// The creation or deletion of accounts.
  case users(UserEventType)

  /// True when the trigger is about accounts instead of writes.
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
