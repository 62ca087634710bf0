/// The buffering of events that arrive faster than a loop reads them. Memory is bounded except with ``unbounded``.
public enum DatabaseEventBuffering: Sendable {
  /// Ends the loop with ``DatabaseEventsOverflow`` when that many events wait, so that no event is lost unnoticed.
  case failing(at: Int)
  /// Drops the oldest events when more than that many wait, for loops that only need recent ones.
  case droppingOldest(above: Int)
  /// Buffers every event.
  case unbounded
}

/// The error that ends a loop over events because too many of them waited.
///
/// A new loop begins with the children that are present.
public struct DatabaseEventsOverflow: Error, Sendable, CustomStringConvertible {
  /// The number of events that were waiting.
  public let limit: Int

  public var description: String {
    "More than \(limit) events were waiting. Take them faster, or choose another buffering policy."
  }
}
