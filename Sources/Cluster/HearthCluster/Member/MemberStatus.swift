import HearthBytes
import HearthJournal

/// How a database stands on one node, for the operator.
package struct MemberStatus: Sendable, Equatable {
  /// What the node is to the database.
  package enum Role: String, Sendable {
    /// It decides what is written.
    case owner
    /// It has all that there is, as far as it knows, and hears of more.
    case following
    /// It reads what it lacks, or cannot go on.
    case reading
    /// The store lost acknowledged rows and others are in their place: nothing is written as long as the node lives.
    case readOnly
  }

  /// What the node is.
  package var role: Role
  /// The epoch of the owner that it knows, or of its last row.
  package var epoch: Int64
  /// Who owns the database, as far as the node knows.
  package var owner: NodeID?
  /// The last row that it has applied.
  package var head: JournalHead
  /// True when what it has applied is new enough for clients.
  package var isServing: Bool
  /// No commit from before this moment of the node's own clock is missing; nil when it knows nothing.
  package var freshAsOf: MonotonicInstant?
  /// When another node last gave a sign of life as the owner, on the node's own clock.
  package var ownerHeardAt: MonotonicInstant
  /// How many other nodes follow it here, as far as it is their owner.
  package var followerCount: Int
  /// Sessions of all nodes' clients, as of its last row.
  package var sessionCount: Int
  /// True when it owns the database when nobody else does.
  package var isWanted: Bool
  /// The reason why it goes no further: a row that this program does not know.
  package var unreadable: MalformedBytes?
  /// True when it goes no further because rows behind its last one were pruned.
  package var isPruned: Bool
  /// What the store lost.
  package var loss: DataLoss?
}

extension DatabaseMember {
  /// How the database stands here.
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
