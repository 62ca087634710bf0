/// What happens to an account as a whole.
public enum UserMoment: String, Sendable, CaseIterable {
  /// It was made.
  case created
  /// It was deleted.
  case deleted

  /// As functions of the first generation name it.
  var legacyName: String {
    switch self {
    case .created: "create"
    case .deleted: "delete"
    }
  }
}
