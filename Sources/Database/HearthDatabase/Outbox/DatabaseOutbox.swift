import HearthEngine
import HearthJournal

/// What is made of a database's commits: entries that become durable together with them, or not at all.
public struct DatabaseOutbox: Sendable {
  /// The entries of commits, in order. Called away from deciding, as often as storing them is tried, with the same outcome.
  public var entries: @Sendable (_ changes: [CommittedChange]) -> [OutboxEntry]

  /// The reason why a write is not to be made; nil asks nobody. Called while deciding: everything else waits.
  public var refusal: (@Sendable (CommittedChange) -> Failure?)?

  /// Told of entries once they are durable, before anybody is told of their commits. Must not block.
  public var stored: @Sendable (_ entries: [OutboxEntry]) -> Void

  /// An outbox of these parts.
  public init(
    entries: @escaping @Sendable (_ changes: [CommittedChange]) -> [OutboxEntry],
    refusal: (@Sendable (CommittedChange) -> Failure?)? = nil,
    stored: @escaping @Sendable (_ entries: [OutboxEntry]) -> Void
  ) {
    (self.entries, self.refusal, self.stored) = (entries, refusal, stored)
  }
}
