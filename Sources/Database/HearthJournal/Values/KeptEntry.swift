/// An entry of an outbox with all that is known of it, as a copy of a journal has it.
public struct KeptEntry: Sendable, Equatable {
  /// What becomes of it.
  public enum State: Sendable, Equatable {
    /// It waits, and is not tried before this time, in milliseconds since 1970.
    case waits(dueMilliseconds: Int64)
    /// It was given up.
    case dead(reason: String, milliseconds: Int64)
  }

  /// Whose work it is.
  public var queue: String
  /// Which entry of the queue.
  public var place: OutboxPlace
  /// Entries of one lane are done one after another.
  public var lane: String
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// How often it was tried.
  public var attemptCount: Int
  /// What is to be done, or was.
  public var content: [UInt8]
  /// The entry waits, or was given up.
  public var state: State

  /// An entry of these parts.
  public init(
    queue: String, place: OutboxPlace, lane: String, milliseconds: Int64, attemptCount: Int, content: [UInt8],
    state: State
  ) {
    (self.queue, self.place, self.lane, self.milliseconds) = (queue, place, lane, milliseconds)
    (self.attemptCount, self.content, self.state) = (attemptCount, content, state)
  }
}
