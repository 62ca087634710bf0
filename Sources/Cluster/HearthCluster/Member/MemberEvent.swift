import HearthBytes
import HearthJournal

/// What happens to one database on one node.
package enum MemberEvent: Sendable {
  /// Time has passed: to be told several times a beat, and before anything else when the process may have been stopped.
  case tick
  /// The store answered a call.
  case stored(StoreAsker, ticket: UInt64, StoreAnswer)
  /// A peer's message came; messages of one connection in their order.
  case received(PeerMessage, from: Incarnation)
  /// A connection to a node began. What was sent to it before, and not answered, may not have arrived.
  case linkUp(NodeID)
  /// It ended.
  case linkDown(NodeID)
  /// A client connected to this node.
  case opened(SessionID)
  /// A client of this node asks something; the last time `.close`.
  ///
  /// - Parameter ticket: The caller's own number, which ``MemberAction/acknowledge(_:ticket:_:)`` bears.
  case submitted(SessionID, ticket: UInt64, ForwardedRequest.Kind)
  /// True when this node wants to own the database when nobody else does, see ``DatabaseMember/isWanted``.
  case wanted(Bool)
  /// The operator, or a node that is to be stopped, gives the database to another node. It has no effect on a node that does
  /// not own it, or is about to: who drains a node asks again until that owns nothing.
  case handOver(to: NodeID)
  /// A snapshot is there, after ``MemberAction/pruned(after:)``: its head, and its sessions. Otherwise it is passed over.
  case restored(JournalHead, SessionTable)
  /// This node's run was declared over.
  case incarnationEnded(Incarnation)
}

/// Which machine of a database asked the store.
package enum StoreAsker: Sendable, Hashable {
  case replica, ownership, presence
}

/// What one database on one node wants to be done, in this order.
package enum MemberAction: Sendable {
  /// To be answered by ``MemberEvent/stored(_:ticket:_:)``.
  case ask(StoreAsker, ticket: UInt64, StoreCall)
  /// To another node. Messages to one to which there is no connection are dropped.
  case send(NodeID, PeerMessage)
  /// The next row of the log, durable: listeners are told, grants that it takes away are cut before anything behind it.
  case apply(LogRow, [LogRecord])
  /// A client is told what became of its request. Of a closing nobody is told.
  case acknowledge(SessionID, ticket: UInt64, Outcome)
  /// A client's session is over: its socket is closed. Nobody is told of requests that it waits for.
  case closeClient(SessionID)
  /// What listens would be served from is too old: all sockets are closed and none are taken.
  case closeSockets
  /// Clients are taken.
  case openSockets
  /// What is to be done because of rows of this node's is durable.
  case stored([OutboxEntry])
  /// This node is the owner, under that epoch, from here on.
  case began(epoch: Int64)
  /// It is no longer. What it decided behind this position is not in the log, as far as it knows.
  case rollBack(to: Int64)
  /// The store has no room for what this node decides as the owner, or has it again.
  case room(Bool)
  /// Another node is the owner as far as this one knows, which may be this one; nil when it knows of none.
  case ownerSeen(NodeID?)
  /// The log is another one: the state is forgotten, and rows come again from the first.
  case reset
  /// Rows behind this position are no more. The node goes no further in this database before it is told of a snapshot that
  /// stands for them, by ``MemberEvent/restored(_:_:)``.
  case pruned(after: Int64)
  /// For the operator: the store lost what it had acknowledged.
  case dataLost(DataLoss)
  /// For the operator: the log holds what this program does not know. The node goes no further in this database.
  case unreadable(MalformedBytes)
  /// The state is that of the snapshot that ``MemberEvent/restored(_:_:)`` told of, and rows come from behind it.
  case restored(JournalHead)
}
