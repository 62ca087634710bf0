import HearthJournal

/// A store whose journals the nodes of a cluster can share.
package protocol ClusterJournalStore: JournalStore {
  /// Returns the cluster's catalog, for one node. Blocks.
  ///
  /// - Parameters:
  ///   - address: The address at which other nodes reach this one.
  ///   - report: Receives problems that the operator should know: a failed call, or an unreadable log.
  func clusterCatalog(
    address: String, timing: ClusterTiming, report: @escaping @Sendable (JournalError) -> Void
  ) throws(JournalError) -> any ClusterCatalog
}
