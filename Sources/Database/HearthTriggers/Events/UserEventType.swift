/// The change of an account as a whole.
public enum UserEventType: String, Sendable, CaseIterable {
  /// The account was created.
  case created
  /// The account was deleted.
  case deleted

  /// The name of the event type in functions of the first generation.
  var legacyName: String {
    switch self {
    case .created: "create"
    case .deleted: "delete"
    }
  }
}
