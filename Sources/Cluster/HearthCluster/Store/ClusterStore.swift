/// Where a cluster's nodes find each other, and the logs: the one thing that they share. Answers come once, on any thread,
/// and are not to hold it.
package protocol ClusterStore: Sendable {
  /// Asks about the node's lease.
  func ask(_ call: NodeLease.Call, then: @escaping @Sendable (NodeLease.Answer) -> Void)

  /// Asks for something of a database. Appends of a database take effect in the order in which they are asked for.
  func ask(_ call: StoreCall, of database: DatabaseID, then: @escaping @Sendable (StoreAnswer) -> Void)
}
