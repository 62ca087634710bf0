import HearthCluster

/// The part of a database on a node that has the tree, the rules, the clients and the listeners.
package protocol DatabaseHost: RequestDecider, Sendable {
  /// Performs an action of the member, in order. Store calls and messages to other nodes are performed by the driver
  /// instead.
  mutating func take(_ action: MemberAction)

  /// Notes that the next decided records were sent to the store as a row.
  mutating func sealed(_ row: LogRow)
}
