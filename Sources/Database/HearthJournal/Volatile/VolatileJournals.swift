/// Journals that keep nothing; each is new.
public struct VolatileJournals: JournalFactory {
  /// Journals that keep nothing.
  public init() {}

  /// A new journal, whatever its name.
  public func open(_ name: String) throws(JournalError) -> OpenedJournal { OpenedJournal(VolatileJournal()) }

  /// None: nothing of them is left.
  public func names() throws(JournalError) -> [String] { [] }

  /// There is nothing to be removed.
  public func remove(_ name: String) throws(JournalError) {}
}
