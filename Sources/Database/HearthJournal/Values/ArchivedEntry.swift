/// An entry of an outbox with its whole state, as a backup of a journal contains it.
public struct ArchivedEntry: Sendable, Equatable {
  /// The state of an entry.
  public enum State: Sendable, Equatable {
    /// The entry waits, and is not attempted before this time, in milliseconds since 1970.
    case waits(dueMilliseconds: Int64)
    /// The entry is dead since this time, in milliseconds since 1970.
    case dead(reason: String, milliseconds: Int64)
  }

  /// The name of the entry's queue.
  public var queue: String
  /// The place in the queue.
  public var place: OutboxPlace
  /// The ordering key: entries with the same one are delivered in order, one at a time.
  public var lane: String
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The number of attempts.
  public var attemptCount: Int
  /// The content for the delivery.
  public var content: [UInt8]
  /// The state: waiting or dead.
  public var state: State

  /// Creates an entry.
  public init(
    queue: String, place: OutboxPlace, lane: String, milliseconds: Int64, attemptCount: Int, content: [UInt8],
    state: State
  ) {
    (self.queue, self.place, self.lane, self.milliseconds) = (queue, place, lane, milliseconds)
    (self.attemptCount, self.content, self.state) = (attemptCount, content, state)
  }
}
