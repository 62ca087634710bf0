import HearthCluster

/// What a client asked, and what it was told.
package struct Operation {
  package enum Kind: Equatable {
    case write(WriteContent)
    case get
  }

  package var kind: Kind
  package var began: Int64
  package var ended: Int64?
  package var outcome: Outcome?

  package init(kind: Kind, began: Int64) { (self.kind, self.began) = (kind, began) }
}

/// What a client saw while it was connected once.
package struct SimulatedClient {
  package enum State { case connected, closing, gone }

  package var index: UInt16
  package var session: SessionID
  package var node: Int
  package var state = State.connected
  /// By their tickets.
  package var operations: [UInt64: Operation] = [:]
  /// The place where its listen began.
  package var listenStart: Int64
  /// True when its listen goes on.
  package var isListening = false
  /// Rows that its listen was told of, in order.
  package var heard: [(position: Int64, content: WriteContent)] = []
  package var pending = 0
  /// The ticket of the last request. Those of the session's requests are that much above their numbers, of which the
  /// opening has the first.
  package var lastTicket: UInt64 = 1 + ticketOffset
  package static let ticketOffset: UInt64 = 1_000

  package init(index: UInt16, session: SessionID, node: Int, listenStart: Int64) {
    (self.index, self.session, self.node, self.listenStart) = (index, session, node, listenStart)
  }
}
