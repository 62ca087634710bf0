/// The permissions of a console session.
public enum ConsoleRole: String, Sendable, CaseIterable {
  /// The permission to read all data and change none.
  case viewer
  /// The permission to read and change all data.
  case administrator
}
