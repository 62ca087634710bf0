import HearthJournal

/// A cluster's store with its catalog of nodes and journals. Each call blocks until the store has answered, and throws
/// a `JournalError` when it does not.
package protocol ClusterCatalog: ClusterStore {
  /// The name of the store's database product, for messages.
  var product: String { get }

  /// The number that identifies this cluster.
  var cluster: UInt64 { get }

  /// Returns the ID of the database with a journal of that name, and creates the database when it is missing.
  ///
  /// - Parameter collection: The prefix of the names of the journals of one kind, such as databases or accounts.
  func database(_ name: String, of collection: String) throws(JournalError) -> DatabaseID

  /// Opens the journal of that name.
  ///
  /// - Parameter collection: The prefix of the names of the journals of one kind, such as databases or accounts.
  func openJournal(_ name: String, of collection: String) throws(JournalError) -> any Journal

  /// Returns the name of a database's journal, with its collection; nil when there is no such database.
  func name(of database: DatabaseID) throws(JournalError) -> String?

  /// Returns the databases of the journals in a collection, by name.
  func journals(_ collection: String) throws(JournalError) -> [String: DatabaseID]

  /// Returns every node that was ever registered, and every journal.
  func overview() throws(JournalError) -> ClusterOverview

  /// Closes the connections: later calls have no effect.
  func close()
}
