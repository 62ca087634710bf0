import HearthBytes
import HearthJournal

/// The status of a database on one node, for the operator.
package struct MemberStatus: Sendable, Equatable {
  /// The role of the node.
  package enum Role: String, Sendable {
    /// The node decides writes.
    case owner
    /// The node has applied all rows that it knows of, and receives new ones.
    case following
    /// The node reads missing rows, or cannot apply any.
    case reading
    /// The store lost acknowledged rows and has different rows in their place: the database stays read-only until this
    /// process ends.
    case readOnly
  }

  /// The role of the node.
  package var role: Role
  /// The epoch of the known owner, or of the last row.
  package var epoch: Int64
  /// The owner of the database, as far as the node knows.
  package var owner: NodeID?
  /// The last applied row.
  package var head: JournalHead
  /// True when the applied state is recent enough for clients.
  package var isServing: Bool
  /// The time on the node's own clock before which no commit is missing from the state; nil when that is unknown.
  package var freshAsOf: MonotonicInstant?
  /// The time of the last message from another node as the owner, on the node's own clock.
  package var ownerHeardAt: MonotonicInstant
  /// The number of other nodes that follow this one as their owner.
  package var followerCount: Int
  /// The number of sessions on all nodes, as of the last row.
  package var sessionCount: Int
  /// True when the node claims the database once it has no owner.
  package var isWanted: Bool
  /// The unknown record because of which the node applies no further rows; nil when there is none.
  package var unreadable: MalformedBytes?
  /// True when the node applies no further rows because the next ones were pruned.
  package var isPruned: Bool
  /// The acknowledged rows that the store lost; nil when there are none.
  package var loss: DataLoss?
}

extension DatabaseMember {
  /// The status of the database on this node.
  package var status: MemberStatus {
    let role: MemberStatus.Role =
      if ownership.epoch != nil {
        .owner
      } else if ownership.loss != nil {
        .readOnly
      } else {
        replica.lacksRows || replica.unreadable != nil ? .reading : .following
      }
    return MemberStatus(
      role: role, epoch: ownership.epoch ?? max(route?.epoch ?? 0, replica.head.epoch), owner: route?.node,
      head: replica.head, isServing: replica.isServing, freshAsOf: replica.freshAsOf, ownerHeardAt: ownerHeardAt,
      followerCount: followerCount, sessionCount: table.count, isWanted: isWanted, unreadable: replica.unreadable,
      isPruned: replica.isPruned, loss: ownership.loss)
  }
}
