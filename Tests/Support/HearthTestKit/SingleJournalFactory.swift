import HearthJournal

/// A factory with a single journal that the test provides, under any name.
package struct SingleJournalFactory: JournalFactory {
  private let journal: any Journal
  private let pages: String?

  /// Creates a factory of this journal.
  ///
  /// - Parameter pages: The folder for pages; nil without pages.
  package init(_ journal: any Journal, pages: String? = nil) { (self.journal, self.pages) = (journal, pages) }

  /// Opens the journal under any name.
  package func open(_ name: String) throws(JournalError) -> OpenedJournal { OpenedJournal(journal) }

  /// An empty list, because the journal does not know its name.
  package func names() throws(JournalError) -> [String] { [] }

  /// Keeps the journal, which belongs to the test.
  package func remove(_ name: String) throws(JournalError) {}

  /// The test's folder, for any name.
  package func pageFolder(of name: String) -> String? { pages }
}
