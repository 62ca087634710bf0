import HearthCluster

/// What one database is on a node beside its place in the cluster: the tree, rules, clients and listeners.
package protocol DatabaseTenant: RequestDecider, Sendable {
  /// Does what the member wants, in the order in which it says so. Calls to the store and messages to nodes are not among
  /// it.
  mutating func take(_ action: MemberAction)

  /// A row of what it decided, and in the order in which it did, is on its way to the store.
  mutating func sealed(_ row: LogRow)
}
