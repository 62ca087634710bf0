/// An engine that keeps journals: opens each by its name. Databases take one, and are told nothing of where it keeps them.
///
/// What it opens passes the checks of `JournalConformance` in `HearthTestKit`.
public protocol JournalFactory: Sendable {
  /// Opens a journal, or makes it when there is none of that name.
  ///
  /// - Parameter name: 1 to 63 of `a-z`, `0-9`, `_` and `-`.
  /// - Throws: ``JournalError``, such as `.inUse` when somebody else has it open.
  func open(_ name: String) throws(JournalError) -> OpenedJournal

  /// The journals that there are, in no order. Names that no caller can have given may be among them.
  ///
  /// - Throws: ``JournalError`` when they cannot be listed.
  func names() throws(JournalError) -> [String]

  /// Removes all that is kept of a journal, for good. A crash may leave a part of it, until this is called again.
  ///
  /// - Throws: ``JournalError``, such as `.inUse` when somebody has it open.
  func remove(_ name: String) throws(JournalError)
}

/// A journal, and what opening it found.
public struct OpenedJournal: Sendable {
  /// The journal. Whoever opened it closes it.
  public var journal: any Journal
  /// What had to be cut off because a crash had left it half written.
  public var damages: [JournalRecovery.Damage]

  /// A journal, and what opening it found.
  public init(_ journal: any Journal, damages: [JournalRecovery.Damage] = []) {
    self.journal = journal
    self.damages = damages
  }
}
