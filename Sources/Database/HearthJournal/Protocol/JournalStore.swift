/// An open store of journals: a data folder, or a database on a server. Calls block.
package protocol JournalStore: AnyObject, Sendable {
  /// The name of the product, for messages.
  var product: String { get }
  /// The address, for messages.
  var address: String { get }
  /// The warnings about the set-up, one sentence each; worse problems are refused.
  var warnings: [String] { get }

  /// Returns the journals of one collection.
  ///
  /// - Parameter collection: The prefix of their names, empty or with `/` at its end. No other part of a name has `/`.
  func factory(_ collection: String) -> any JournalFactory

  /// Returns the journals of several collections for copies, by names that begin with the collection. The archive may
  /// have journals of other collections as well.
  func archive(of collections: [String]) -> any JournalArchive

  /// Locks the store for a use, until it is closed.
  ///
  /// - Throws: `.inUse` when it is used otherwise; `.unavailable`, `.inputOutput`.
  func lock(for use: JournalStoreUse) throws(JournalError)

  /// The time in seconds between two checks that the store is available; nil when it always is.
  var checkPauseSeconds: Int? { get }

  /// Checks that the store is available, and used by no other server.
  func check() -> JournalStoreState

  /// Completes earlier removals of journals.
  func removeLeftovers() throws(JournalError)

  /// Limits every wait from now on, because the server is about to end.
  func shortenTimeouts()

  /// Ends the connections and unlocks the store. All journals must be closed.
  func close()

  // MARK: Moving

  /// Returns an archive for new journals under temporary names that no server uses, without those of an interrupted
  /// attempt.
  func stage() throws(JournalError) -> any JournalArchive

  /// Gives staged journals their names, and removes what is left of the staging.
  func publish(_ names: [String]) throws(JournalError)

  /// The advice when the store holds other journals already, as the end of a sentence.
  var occupiedAdvice: String { get }
}

/// The use for which a store of journals is locked.
package enum JournalStoreUse: Sendable {
  /// One server.
  case server
  /// A node of a cluster, beside other nodes.
  case node
  /// A copy of all journals, of which the store has these.
  case copy([String])
}

/// The availability of a store.
package enum JournalStoreState: Sendable, Equatable {
  /// The store answers, and no other server uses it.
  case alone
  /// Another server uses it.
  case taken
  /// No answer came, for this reason.
  case unreachable(String)
}
