import HearthCluster

/// A client's request and the answer to it.
package struct Operation {
  package enum Kind: Equatable {
    case write(WriteContent)
    case get
  }

  package var kind: Kind
  package var began: Int64
  package var ended: Int64?
  package var outcome: RequestOutcome?

  package init(kind: Kind, began: Int64) { (self.kind, self.began) = (kind, began) }
}

/// A client during one of its connections, with the events that it received.
package struct SimulatedClient {
  package enum State { case connected, closing, gone }

  package var index: UInt16
  package var session: SessionID
  package var node: Int
  package var state = State.connected
  /// Operations by ticket.
  package var operations: [UInt64: Operation] = [:]
  /// The log position at which its listen began.
  package var listenStart: Int64
  /// True while its listen is active.
  package var isListening = false
  /// Rows that its listen received, in order.
  package var received: [(position: Int64, content: WriteContent)] = []
  package var pending = 0
  /// The ticket of the last request. The tickets of a session's requests are their numbers plus a fixed offset; the
  /// request that opens the session has the first number.
  package var lastTicket: UInt64 = 1 + ticketOffset
  package static let ticketOffset: UInt64 = 1_000

  package init(index: UInt16, session: SessionID, node: Int, listenStart: Int64) {
    (self.index, self.session, self.node, self.listenStart) = (index, session, node, listenStart)
  }
}
