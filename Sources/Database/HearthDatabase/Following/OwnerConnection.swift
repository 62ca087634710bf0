import HearthEngine
import HearthTree

/// The connection of a following database to the log's owner, which decides the requests that the database cannot
/// decide itself.
///
/// The answers arrive at ``DatabaseFollower/take(_:)``, in order with the log's commits. No method blocks.
package protocol OwnerConnection: Sendable {
  /// Opens a session, before a connection's first request.
  func open(_ session: UInt64)

  /// Sends a request in an open session, after all of its earlier ones.
  ///
  /// - Parameter ticket: The number that the answer repeats.
  func send(_ session: UInt64, ticket: UInt64, _ request: OwnerRequest)

  /// Closes the session of a connection that has ended.
  func close(_ session: UInt64)

  /// Reports that the log since the last snapshot is long enough for another snapshot. The owner schedules one, by
  /// ``ReplicationEvent/snapshot(members:)``; every other server ignores it.
  func snapshotIsDue()
}

/// A request to the owner of the log.
package enum OwnerRequest: Sendable {
  /// Decides a change.
  case change(ForwardedChange)
  /// Runs a transaction. Possible only when the owner is in the same process.
  case transaction(Transaction)
  /// Changes nothing; the answer arrives when all earlier decisions are durable and applied here, so that a following
  /// read sees the newest state.
  case newest
}

/// An answer of the owner.
package enum OwnerResponse: Sendable {
  /// The change was made, and has been applied here. The reply is nil when the owner no longer knows it.
  case made(Reply?)
  /// The change was not made, and will not be. The reply is nil when the owner no longer knows the reason.
  case refused(Reply?)
  /// All decisions that the owner made before the request have been applied here.
  case newest
}

/// An event of a database that follows a log.
package enum ReplicationEvent: Sendable {
  /// The log's next rows: consecutive positions with their records, in the format of ``CommitRecord``.
  ///
  /// - Parameters:
  /// - isOwn: True when this process decided them.
  /// - root: The data after them; nil when it is unknown or when another change has been made since.
  case commits(firstPosition: Int64, lastPosition: Int64, payload: [UInt8], isOwn: Bool, root: Node? = nil)
  /// The owner answered.
  case answered(ticket: UInt64, OwnerResponse)
  /// A session at the owner ended while its connection is open: its unanswered requests may have been executed.
  case sessionEnded(UInt64)
  /// The state became new enough for clients, or no longer is.
  case serving(Bool)
  /// The followed log was replaced, or its next rows are gone: everything restarts from this state, and the next
  /// commits are those after it. All connections are closed.
  case replaced(ReplicationStart)
  /// An order to write a snapshot of the state after the preceding commits.
  ///
  /// - Parameter members: The bytes that the owner stores with the snapshot, opaque to the database: the state of the
  ///   cluster's members.
  case snapshot(members: [UInt8])
}

extension ReplicationEvent {
  /// The approximate bytes in memory.
  var sizeBytes: Int {
    switch self {
    case .commits(_, _, let payload, _, _): payload.count + 64
    case .snapshot(let members): members.count + 64
    default: 64
    }
  }
}
