/// What a session of the console may do.
public enum ConsoleRole: String, Sendable, CaseIterable {
  /// Reads everything and changes nothing.
  case viewer
  /// Reads and changes everything.
  case administrator
}
