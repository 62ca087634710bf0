import HearthBytes
import HearthJournal

/// An event of one database on one node.
package enum MemberEvent: Sendable {
  /// The passing of time. Sent several times in ``ClusterTiming/beatMilliseconds``, and before any other event when the
  /// process may have been suspended.
  case tick
  /// The store answered a call.
  case stored(StoreCaller, ticket: UInt64, StoreAnswer)
  /// A message of a peer arrived; messages of one connection arrive in order.
  case received(PeerMessage, from: Incarnation)
  /// A connection to a node began. Unanswered messages sent before may be lost.
  case linkUp(NodeID)
  /// The connection to a node ended.
  case linkDown(NodeID)
  /// A client connected to this node.
  case opened(SessionID)
  /// A client of this node sent a request; its last one is `.close`.
  ///
  /// - Parameter ticket: The caller's number for the request, returned in ``MemberAction/acknowledge(_:ticket:_:)``.
  case submitted(SessionID, ticket: UInt64, ForwardedRequest.Kind)
  /// The background work for a session's request is done: see ``RequestDecision/later``.
  case workDone(SessionID)
  /// The node starts or stops claiming the database when it has no owner, see ``DatabaseMember/isWanted``.
  case wanted(Bool)
  /// The operator, or a node that shuts down, hands the database over to another node. It has no effect on a node that
  /// is not the owner, or not yet the owner; a node that shuts down repeats it until it owns nothing.
  case handOver(to: NodeID)
  /// A snapshot was loaded, after ``MemberAction/pruned(after:)``: its head and sessions. It is ignored at any other
  /// time.
  case restored(JournalHead, SessionTable)
  /// The node's incarnation was declared ended.
  case incarnationEnded(Incarnation)
}

/// The state machine of a database that called the store.
package enum StoreCaller: Sendable, Hashable {
  case replica, ownership, presence
}

/// An action that a ``DatabaseMember`` requests from its driver; performed in order.
package enum MemberAction: Sendable {
  /// Calls the store; the driver answers with ``MemberEvent/stored(_:ticket:_:)``.
  case ask(StoreCaller, ticket: UInt64, StoreCall)
  /// Sends a message to another node. Messages without a connection are dropped.
  case send(NodeID, PeerMessage)
  /// Applies the next durable row of the log: notifies listeners, and cancels those that lose their permission before
  /// any later row.
  case apply(LogRow, [LogRecord])
  /// Reports the outcome of a request to its client. The outcome of a `.close` is not reported.
  case acknowledge(SessionID, ticket: UInt64, RequestOutcome)
  /// Closes the socket of a client whose session has ended. The outcomes of its pending requests are not reported.
  case closeClient(SessionID)
  /// Closes all sockets and accepts none, because the state from which listens are served is too old.
  case closeSockets
  /// Accepts clients.
  case openSockets
  /// Processes outbox entries: their rows are durable.
  case stored([OutboxEntry])
  /// The node became the owner under that epoch.
  case began(epoch: Int64)
  /// The node lost the ownership. Decisions after this position are not in the log, as far as this node knows.
  case rollBack(to: Int64)
  /// The store has no space for the owner's rows (false), or has space again (true).
  case room(Bool)
  /// The known owner changed; it may be this node, and is nil when unknown.
  case ownerSeen(NodeID?)
  /// Discards the state, because the log was replaced by a different one; its rows follow from the first one.
  case reset
  /// The rows after this position were pruned. The node applies no rows of this database until a snapshot replaces
  /// them, see ``MemberEvent/restored(_:_:)``.
  case pruned(after: Int64)
  /// The store lost acknowledged rows; reported to the operator.
  case dataLost(DataLoss)
  /// The log holds records that this program does not know; reported to the operator. The node applies no further rows
  /// of this database.
  case unreadable(MalformedBytes)
  /// Loads the snapshot of ``MemberEvent/restored(_:_:)``; the rows after it follow.
  case restored(JournalHead)
}
