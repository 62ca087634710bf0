/// The buffering of events that arrive faster than a loop reads them. Memory is bounded except with ``unbounded``.
public enum DatabaseEventBuffering: Sendable {
  /// Ends the loop with ``DatabaseEventsOverflow`` when so many events wait, so that no loss goes unnoticed.
  case failing(at: Int)
  /// Drops the oldest of more than so many events, for loops that only need recent ones.
  case droppingOldest(above: Int)
  /// Buffers every event.
  case unbounded
}

/// The error of a loop that read events too slowly for too long.
///
/// Start again: the children that are there come first.
public struct DatabaseEventsOverflow: Error, Sendable, CustomStringConvertible {
  /// The number of events that were waiting.
  public let limit: Int

  public var description: String {
    "More than \(limit) events were waiting. Take them faster, or choose another buffering policy."
  }
}
