/// The shared store of a cluster, with its logs and leases; its nodes share nothing else. Each call is answered once,
/// on any thread; the handler must not block.
package protocol ClusterStore: Sendable {
  /// Calls the store about the node's lease.
  func ask(_ call: NodeLease.Call, then: @escaping @Sendable (NodeLease.Answer) -> Void)

  /// Calls the store about a database. Appends to a database take effect in the order of the calls.
  func ask(_ call: StoreCall, of database: DatabaseID, then: @escaping @Sendable (StoreAnswer) -> Void)
}
