import HearthJournal

/// A factory whose only journal is one that a test keeps hold of, whatever name it is asked for.
package struct OneJournal: JournalFactory {
  private let journal: any Journal

  /// A factory of that journal.
  package init(_ journal: any Journal) { self.journal = journal }

  /// The journal, whatever the name.
  package func open(_ name: String) throws(JournalError) -> OpenedJournal { OpenedJournal(journal) }

  /// None: the journal is not told its name.
  package func names() throws(JournalError) -> [String] { [] }

  /// The journal is the test's: it stays.
  package func remove(_ name: String) throws(JournalError) {}
}
