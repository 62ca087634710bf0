import HearthJournal

/// The data folder of a running or stopped server.
public struct BackupSource: Sendable {
  /// A journal of the folder.
  public struct Entry: Sendable {
    /// The name: `accounts`, or `databases/NAME`.
    public var name: String
    /// The archive that holds the journal.
    public var archive: any JournalArchive
    /// The journal's name in the archive.
    public var journal: String

    /// Creates a source for a journal in an archive.
    public init(name: String, archive: any JournalArchive, journal: String) {
      (self.name, self.archive, self.journal) = (name, archive, journal)
    }
  }

  /// The folder's path.
  public var folder: String
  /// The current journals of the folder.
  public var journals: @Sendable () throws -> [Entry]
  /// The clock from which the server's commits get their times, in milliseconds since 1970.
  public var clock: @Sendable () -> Int64

  /// Creates the source for a data folder.
  public init(
    folder: String, journals: @escaping @Sendable () throws -> [Entry], clock: @escaping @Sendable () -> Int64
  ) {
    (self.folder, self.journals, self.clock) = (folder, journals, clock)
  }
}
