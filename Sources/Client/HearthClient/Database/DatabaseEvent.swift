/// What happened at a place, as ``DatabaseQuery/events(of:buffering:)`` gives it.
public struct DatabaseEvent: Sendable {
  /// What happened.
  public let type: DataEventType
  /// The value, or the child: for one that was removed, as it was.
  public let snapshot: DataSnapshot
  /// For a child that was added, changed or moved: the key of the one before it; nil for the first.
  public let previousKey: String?
}
