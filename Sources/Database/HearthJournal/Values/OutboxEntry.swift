/// Something that is to be done because of a commit, durable together with it. The journal knows nothing of what it is.
public struct OutboxEntry: Sendable, Equatable {
  /// Whose work it is.
  public var queue: String
  /// Which entry of the queue.
  public var place: OutboxPlace
  /// Entries of one lane are done one after another.
  public var lane: String
  /// The time of the commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// What is to be done.
  public var content: [UInt8]
  /// The reason why it will not be done; nil when it waits.
  public var deadReason: String?

  /// An entry of these parts.
  public init(
    queue: String, place: OutboxPlace, lane: String, milliseconds: Int64, content: [UInt8], deadReason: String? = nil
  ) {
    (self.queue, self.place, self.lane) = (queue, place, lane)
    (self.milliseconds, self.content, self.deadReason) = (milliseconds, content, deadReason)
  }
}

/// An entry's place in its queue: that of the commit, then a number.
public struct OutboxPlace: Sendable, Hashable, Comparable {
  /// The commit's position in the log.
  public var position: Int64
  /// Counts the entries of one commit.
  public var ordinal: Int32

  /// The place of that number at that commit.
  public init(position: Int64, ordinal: Int32) { (self.position, self.ordinal) = (position, ordinal) }

  public static func < (a: OutboxPlace, b: OutboxPlace) -> Bool {
    (a.position, a.ordinal) < (b.position, b.ordinal)
  }
}

/// What is known of an entry that waits, without its content.
public struct WaitingEntry: Sendable, Equatable {
  /// Which.
  public var place: OutboxPlace
  /// Its lane.
  public var lane: String
  /// The time of its commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// How often it was tried.
  public var attemptCount: Int
  /// Before this it is not tried again, in milliseconds since 1970.
  public var dueMilliseconds: Int64
  /// Bytes of its content.
  public var sizeBytes: Int

  /// An entry that waits.
  public init(
    place: OutboxPlace, lane: String, milliseconds: Int64, attemptCount: Int, dueMilliseconds: Int64, sizeBytes: Int
  ) {
    (self.place, self.lane, self.milliseconds, self.sizeBytes) = (place, lane, milliseconds, sizeBytes)
    (self.attemptCount, self.dueMilliseconds) = (attemptCount, dueMilliseconds)
  }
}

/// What becomes of an entry.
public enum OutboxChange: Sendable, Equatable {
  /// It is done, and is forgotten.
  case done
  /// It was tried and waits again.
  case waits(attemptCount: Int, dueMilliseconds: Int64)
  /// It will not be done, and is kept for whoever wants to look.
  case dead(reason: String, milliseconds: Int64)
}

/// An entry that was not done.
public struct DeadEntry: Sendable, Equatable {
  /// Which.
  public var place: OutboxPlace
  /// Its lane.
  public var lane: String
  /// The time of its commit, in milliseconds since 1970.
  public var milliseconds: Int64
  /// How often it was tried.
  public var attemptCount: Int
  /// When it was given up, in milliseconds since 1970.
  public var deadMilliseconds: Int64
  /// Why.
  public var reason: String
  /// What was to be done; empty in lists.
  public var content: [UInt8]

  /// An entry that was given up.
  public init(
    place: OutboxPlace, lane: String, milliseconds: Int64, attemptCount: Int, deadMilliseconds: Int64, reason: String,
    content: [UInt8]
  ) {
    (self.place, self.lane, self.milliseconds, self.attemptCount) = (place, lane, milliseconds, attemptCount)
    (self.deadMilliseconds, self.reason, self.content) = (deadMilliseconds, reason, content)
  }
}

/// How much a queue holds.
public struct OutboxFigures: Sendable, Equatable {
  /// Entries that wait.
  public var waitingCount = 0
  /// Bytes of their contents.
  public var waitingBytes = 0
  /// The time of the oldest one's commit, in milliseconds since 1970; nil without any.
  public var oldestMilliseconds: Int64?
  /// Entries that were given up.
  public var deadCount = 0
  /// Bytes of their contents.
  public var deadBytes = 0

  /// An empty queue.
  public init() {}
}
