import HearthEngine
import HearthJournal

/// The outbox of a database: derives entries from commits, which become durable together with them, or not at all.
public struct DatabaseOutbox: Sendable {
  /// Derives the entries of commits, in order. Called on the journal queue, once per attempt to store the commits, with
  /// the same result each time.
  public var entries: @Sendable (_ changes: [CommittedChange]) -> [OutboxEntry]

  /// Returns the reason to refuse a write; nil accepts every write. Called on the deciding queue, while all other
  /// commands wait.
  public var refusal: (@Sendable (CommittedChange) -> Failure?)?

  /// Receives entries once they are durable, before their commits are delivered to any client. Must not block.
  public var stored: @Sendable (_ entries: [OutboxEntry]) -> Void

  /// Creates an outbox of these parts.
  public init(
    entries: @escaping @Sendable (_ changes: [CommittedChange]) -> [OutboxEntry],
    refusal: (@Sendable (CommittedChange) -> Failure?)? = nil,
    stored: @escaping @Sendable (_ entries: [OutboxEntry]) -> Void
  ) {
    (self.entries, self.refusal, self.stored) = (entries, refusal, stored)
  }
}
