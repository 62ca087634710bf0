/// An event at a path, as ``DatabaseQuery/events(of:buffering:)`` delivers it.
public struct DatabaseEvent: Sendable {
  /// The type of the event.
  public let type: DataEventType
  /// The value or the child; for a removed child, its last state.
  public let snapshot: DataSnapshot
  /// The key of the preceding child, for one that was added, changed or moved; nil for the first.
  public let previousKey: String?
}
