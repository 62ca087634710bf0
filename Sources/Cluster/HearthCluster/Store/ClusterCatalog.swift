import HearthJournal

/// A cluster's store with its catalog: the nodes and journals that it knows. Each call blocks until the store has answered,
/// and throws a `JournalError` when it does not.
package protocol ClusterCatalog: ClusterStore {
  /// The name of the database product that keeps the store, for messages.
  var product: String { get }

  /// A number that tells this cluster from others.
  var cluster: UInt64 { get }

  /// The database whose log is the journal of that name, which is made when there is none.
  ///
  /// - Parameter collection: What the names of such journals begin with.
  func database(_ name: String, of collection: String) throws(JournalError) -> DatabaseID

  /// The journal of that name.
  ///
  /// - Parameter collection: What the names of such journals begin with.
  func openJournal(_ name: String, of collection: String) throws(JournalError) -> any Journal

  /// The name of a database's journal, with its collection; nil when there is none.
  func name(of database: DatabaseID) throws(JournalError) -> String?

  /// The journals whose names begin with a collection's.
  func journals(_ collection: String) throws(JournalError) -> [String: DatabaseID]

  /// All nodes that were ever registered, and all journals.
  func overview() throws(JournalError) -> ClusterOverview

  /// Ends the connections: what is asked from then on has no effect.
  func close()
}
