/// An open store of journals: a data folder, or a database on a server. Calls block.
package protocol JournalStore: AnyObject, Sendable {
  /// The name of the product, such as "PostgreSQL", for messages.
  var product: String { get }
  /// The address, for messages.
  var address: String { get }
  /// The warnings about the set-up, one sentence each. Serious problems prevent the store from being opened.
  var warnings: [String] { get }

  /// Returns the journals of one collection.
  ///
  /// - Parameter collection: The prefix of their names, empty or with `/` at its end. Names contain no other `/`.
  func factory(_ collection: String) -> any JournalFactory

  /// Returns the journals of several collections for backups; their names begin with the collection. The archive may
  /// contain journals of other collections as well.
  func archive(of collections: [String]) -> any JournalArchive

  /// Locks the store for a use, until it is closed.
  ///
  /// - Throws: `.inUse` when another use excludes this one; `.unavailable`, `.inputOutput`.
  func lock(for use: JournalStoreUse) throws(JournalError)

  /// The time in seconds between two checks that the store is available; nil when it always is.
  var checkPauseSeconds: Int? { get }

  /// Checks that the store is available, and used by no other server.
  func check() -> JournalStoreState

  /// Completes earlier removals of journals.
  func removeLeftovers() throws(JournalError)

  /// Shortens the timeouts of all later calls, because the server is about to stop.
  func shortenTimeouts()

  /// Ends the connections and unlocks the store. All journals must be closed.
  func close()

  // MARK: Moving to another store

  /// Returns an archive that restores journals under temporary names, which no server uses. Removes those of an
  /// interrupted attempt first.
  func stage() throws(JournalError) -> any JournalArchive

  /// Gives staged journals their names, and removes what is left of the staging.
  func publish(_ names: [String]) throws(JournalError)

  /// The advice for the case that the store has other journals already, as the end of a sentence.
  var occupiedAdvice: String { get }
}

/// The use for which a store of journals is locked.
package enum JournalStoreUse: Sendable {
  /// One server.
  case server
  /// A node of a cluster; other nodes may lock the store as well.
  case node
  /// A backup of all journals, whose names are given.
  case copy([String])
}

/// The availability of a store.
package enum JournalStoreState: Sendable, Equatable {
  /// The store answers, and no other server uses it.
  case alone
  /// Another server uses it.
  case taken
  /// The store cannot be reached, for this reason.
  case unreachable(String)
}
