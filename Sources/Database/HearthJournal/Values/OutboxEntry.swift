/// An entry that becomes durable together with its commit and is delivered later. The journal does not interpret its
/// content.
public struct OutboxEntry: Sendable, Equatable {
  /// The name of the entry's queue: the trigger's name.
  public var queue: String
  /// The place in the queue.
  public var place: OutboxPlace
  /// The ordering key: entries with the same one are delivered in order, one at a time.
  public var lane: String
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The content for the delivery.
  public var content: [UInt8]
  /// The reason why the entry will not be delivered; nil when it waits.
  public var deadReason: String?

  /// Creates an entry.
  public init(
    queue: String, place: OutboxPlace, lane: String, milliseconds: Int64, content: [UInt8], deadReason: String? = nil
  ) {
    (self.queue, self.place, self.lane) = (queue, place, lane)
    (self.milliseconds, self.content, self.deadReason) = (milliseconds, content, deadReason)
  }
}

/// An entry's place in its queue: the commit's position, then a number.
public struct OutboxPlace: Sendable, Hashable, Comparable {
  /// The commit's position in the log.
  public var position: Int64
  /// The number of the entry within its commit.
  public var ordinal: Int32

  /// Creates the place of an entry.
  public init(position: Int64, ordinal: Int32) { (self.position, self.ordinal) = (position, ordinal) }

  public static func < (a: OutboxPlace, b: OutboxPlace) -> Bool {
    (a.position, a.ordinal) < (b.position, b.ordinal)
  }
}

/// A waiting entry without its content.
public struct WaitingEntry: Sendable, Equatable {
  /// The place in the queue.
  public var place: OutboxPlace
  /// The entry's ordering key: see ``OutboxEntry/lane``.
  public var lane: String
  /// The time of its commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The number of attempts.
  public var attemptCount: Int
  /// The earliest time of the next attempt, in milliseconds since 1970.
  public var dueMilliseconds: Int64
  /// The size of its content in bytes.
  public var sizeBytes: Int

  /// Creates a waiting entry.
  public init(
    place: OutboxPlace, lane: String, milliseconds: Int64, attemptCount: Int, dueMilliseconds: Int64, sizeBytes: Int
  ) {
    (self.place, self.lane, self.milliseconds, self.sizeBytes) = (place, lane, milliseconds, sizeBytes)
    (self.attemptCount, self.dueMilliseconds) = (attemptCount, dueMilliseconds)
  }
}

/// The outcome of an attempt for an entry.
public enum OutboxChange: Sendable, Equatable {
  /// The entry was delivered, and is removed.
  case done
  /// The entry waits for another attempt.
  case waits(attemptCount: Int, dueMilliseconds: Int64)
  /// The entry will not be delivered, and is retained for operators.
  case dead(reason: String, milliseconds: Int64)
}

/// An entry that will not be delivered.
public struct DeadEntry: Sendable, Equatable {
  /// The place in the queue.
  public var place: OutboxPlace
  /// The entry's ordering key: see ``OutboxEntry/lane``.
  public var lane: String
  /// The time of its commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The number of attempts.
  public var attemptCount: Int
  /// The time when it became dead, in milliseconds since 1970.
  public var deadMilliseconds: Int64
  /// The reason why it will not be delivered.
  public var reason: String
  /// The content for the delivery; empty in results that list several entries.
  public var content: [UInt8]

  /// Creates a dead entry.
  public init(
    place: OutboxPlace, lane: String, milliseconds: Int64, attemptCount: Int, deadMilliseconds: Int64, reason: String,
    content: [UInt8]
  ) {
    (self.place, self.lane, self.milliseconds, self.attemptCount) = (place, lane, milliseconds, attemptCount)
    (self.deadMilliseconds, self.reason, self.content) = (deadMilliseconds, reason, content)
  }
}

/// The counts and sizes of a queue.
public struct OutboxFigures: Sendable, Equatable {
  /// The number of waiting entries.
  public var waitingCount = 0
  /// The size of the waiting entries' contents in bytes.
  public var waitingBytes = 0
  /// The time of the oldest waiting entry's commit, in milliseconds since 1970; nil when none waits.
  public var oldestMilliseconds: Int64?
  /// The number of dead entries.
  public var deadCount = 0
  /// The size of the dead entries' contents in bytes.
  public var deadBytes = 0

  /// Creates the figures of an empty queue.
  public init() {}
}
