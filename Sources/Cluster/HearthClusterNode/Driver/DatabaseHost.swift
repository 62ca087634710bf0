import HearthCluster

/// The local side of a database on a node: the tree, rules, clients and listeners.
package protocol DatabaseHost: RequestDecider, Sendable {
  /// Performs an action of the member, in order. Store calls and messages to nodes are not among them.
  mutating func take(_ action: MemberAction)

  /// Notes that a row of the decided records, in their order, was sent to the store.
  mutating func sealed(_ row: LogRow)
}
