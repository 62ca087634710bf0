/// What becomes of events that come faster than a loop takes them. Whatever it is, memory is bounded unless it is asked
/// for otherwise.
public enum DatabaseEventBuffering: Sendable {
  /// The loop ends with ``DatabaseEventsOverflow`` when so many wait: nobody believes to have seen everything who has not.
  case failing(at: Int)
  /// The oldest of more than so many are lost: for those who only want to be nearly up to date.
  case droppingOldest(above: Int)
  /// All wait.
  case unbounded
}

/// A loop over events took them more slowly than they came, for too long.
///
/// Start again: the children that are there come first.
public struct DatabaseEventsOverflow: Error, Sendable, CustomStringConvertible {
  /// How many were waiting.
  public let limit: Int

  public var description: String {
    "More than \(limit) events were waiting. Take them faster, or choose another buffering policy."
  }
}
