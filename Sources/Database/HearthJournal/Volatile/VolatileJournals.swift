/// A factory of journals without storage; each one that is opened is new.
public struct VolatileJournals: JournalFactory {
  /// Creates a factory.
  public init() {}

  /// Returns a new journal under any name.
  public func open(_ name: String) throws(JournalError) -> OpenedJournal { OpenedJournal(VolatileJournal()) }

  /// Returns an empty list, because no journal outlives its database.
  public func names() throws(JournalError) -> [String] { [] }

  /// Does nothing, because there is nothing to remove.
  public func remove(_ name: String) throws(JournalError) {}
}
