/// What a trigger is about.
public enum TriggerSubject: Sendable, Equatable {
  /// Writes: in which databases, at which places, and what happens there.
  case writes(databases: DatabasePattern, pattern: TriggerPattern, moment: TriggerMoment)
  /// Accounts of users.
  case users(UserMoment)

  /// It is about accounts, and not about what is written.
  public var isUsers: Bool { if case .users = self { true } else { false } }
}

/// Where a trigger's events go.
public enum TriggerTarget: Sendable, Equatable {
  /// They are posted to this URL.
  case url(String)
  /// The plugin of this name takes them.
  case plugin(String)

  /// The URL; nil for a plugin.
  public var url: String? { if case .url(let url) = self { url } else { nil } }
}
