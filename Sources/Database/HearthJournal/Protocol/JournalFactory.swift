/// A storage engine that opens journals by name. A database uses a journal without knowing where the engine stores it.
///
/// Its journals must pass the checks of `JournalConformance` in `HearthTestKit`.
public protocol JournalFactory: Sendable {
  /// Opens a journal, or creates it when none has that name.
  ///
  /// - Parameter name: 1 to 63 of `a-z`, `0-9`, `_` and `-`.
  /// - Throws: ``JournalError``, such as `.inUse` when another process or handle has it open.
  func open(_ name: String) throws(JournalError) -> OpenedJournal

  /// Returns the names of all journals in no order, possibly with invalid ones.
  ///
  /// - Throws: ``JournalError`` when they cannot be listed.
  func names() throws(JournalError) -> [String]

  /// Removes all data of a journal permanently. A crash may leave a part of it until this is called again.
  ///
  /// - Throws: ``JournalError``, such as `.inUse` when another process or handle has it open.
  func remove(_ name: String) throws(JournalError)

  /// Returns the path of the folder for the pages of a database with checkpoints, which ``remove(_:)`` removes too. It
  /// is created when it is needed.
  ///
  /// - Returns: nil for a storage engine whose databases have no pages.
  func pageFolder(of name: String) -> String?
}

extension JournalFactory {
  /// Returns nil, which is right for a storage engine without checkpoints.
  public func pageFolder(of name: String) -> String? { nil }
}

/// A journal with the damage found when it was opened.
public struct OpenedJournal: Sendable {
  /// The journal, which the caller must close.
  public var journal: any Journal
  /// The parts that a crash had left half written, and that were cut off.
  public var damages: [JournalRecovery.Damage]

  /// Creates an opened journal.
  public init(_ journal: any Journal, damages: [JournalRecovery.Damage] = []) {
    self.journal = journal
    self.damages = damages
  }
}
