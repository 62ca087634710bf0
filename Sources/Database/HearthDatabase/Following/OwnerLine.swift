import HearthEngine
import HearthTree

/// The way from a database that follows a log to whoever owns that log: what it cannot decide by itself is asked there.
///
/// What comes of it is told, in order with the log's commits, by ``DatabaseFollower/take(_:)``. Nothing here waits.
package protocol OwnerLine: Sendable {
  /// A connection is about to ask something: its session begins.
  func open(_ session: UInt64)

  /// Asks something for a session that was opened, after all that it asked before.
  ///
  /// - Parameter ticket: comes back with the answer.
  func ask(_ session: UInt64, ticket: UInt64, _ question: OwnerQuestion)

  /// A session's connection has ended.
  func close(_ session: UInt64)

  /// So much of the log is behind the last snapshot that another is due. The owner has one written, by
  /// ``FollowedEvent/snapshot(members:)``; everybody else does nothing.
  func snapshotIsDue()
}

/// What a database asks the owner of its log.
package enum OwnerQuestion: Sendable {
  /// To decide a change.
  case change(ForwardedChange)
  /// To run a transaction: only where the owner is in the same process.
  case transaction(Transaction)
  /// Nothing but an answer, which comes when everything is durable, and applied here, that was decided before.
  case newest
}

/// What the owner answered.
package enum OwnerAnswer: Sendable {
  /// It was made, and has been applied here. Nil when the one who answers knows that it was made and not what was said.
  case made(Reply?)
  /// It was not made, and will not be. Nil when nobody knows any more why.
  case refused(Reply?)
  /// All that was decided before the question has been applied here.
  case newest
}

/// What happens to a database that follows a log.
package enum FollowedEvent: Sendable {
  /// The log's next rows: positions and their records.
  ///
  /// - Parameters:
  ///   - isOwn: whether they were decided in this process.
  ///   - root: the data behind them, where that is known and nothing else changed.
  case commits(firstPosition: Int64, lastPosition: Int64, payload: [UInt8], isOwn: Bool, root: Node? = nil)
  /// The owner answered.
  case answered(ticket: UInt64, OwnerAnswer)
  /// A session is no more, although its connection did not end: what it asked and was not answered may have been made.
  case sessionEnded(UInt64)
  /// What is known is new enough for clients from here on, or is not any more.
  case serving(Bool)
  /// What was followed is not the log any more, or its next rows are gone: everything begins anew from this state, and the
  /// next commits are those behind it. Whoever is connected is let go.
  case replaced(FollowedStart)
  /// A snapshot of the state after the commits that came before this is to be written.
  ///
  /// - Parameter members: what of the state its owner knows and the database does not; kept with it as it is.
  case snapshot(members: [UInt8])
}

extension FollowedEvent {
  /// What it holds in memory, roughly.
  var sizeBytes: Int {
    switch self {
    case .commits(_, _, let payload, _, _): payload.count + 64
    case .snapshot(let members): members.count + 64
    default: 64
    }
  }
}
