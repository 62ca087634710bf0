import HearthJournal

extension SQLiteJournals: JournalArchive {
  /// What the file of that name holds now.
  public func view(_ name: String) throws(JournalError) -> any JournalView {
    try SQLiteJournalView(path: path(of: name))
  }

  /// A new file of that name.
  public func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
    try SQLiteRestoration(path: path(of: name))
  }
}
