import HearthJournal

/// Which request of which session a record comes of: what makes a request that was sent again recognisable.
package struct Origin: Sendable, Hashable {
  /// The session.
  package var session: SessionID
  /// Numbers of a session's requests rise from 1.
  package var request: UInt64
  /// All requests up to this one had an answer when this one was sent: nobody will ask for their outcomes again.
  package var answered: UInt64

  /// A request of a session.
  package init(session: SessionID, request: UInt64, answered: UInt64) {
    self.session = session
    self.request = request
    self.answered = answered
  }

  /// True when no more is to be remembered of the session than a node asks at a time.
  var isWithinLimit: Bool {
    request > answered && request - answered <= UInt64(ClusterLimits.sessionRequestsMax)
  }
}

/// One position of the log, as far as the cluster reads it: what the engine wrote is bytes that it passes on.
package enum LogRecord: Sendable, Equatable {
  /// A frame of the engine's, with its length in front, as a server by itself wrote it.
  case plain([UInt8])
  /// The first record of every epoch. Its owner serves nobody before this is durable: whatever an earlier owner sent
  /// either came before it, and was read, or is refused because its place is taken.
  case takeover(Incarnation)
  /// The last record of an epoch whose owner gives the database to another node.
  case handoff(to: NodeID)
  /// A session begins. Writes of sessions that did not begin, or have ended, are not applied.
  case open(SessionID, edge: Incarnation, ordinal: UInt64)
  /// What a request came to, in frames of the engine's, all of whose server values are resolved.
  case write(Origin, content: [UInt8])
  /// A session ends, and its on-disconnect writes, in frames of the engine's, are made with it.
  case disconnect(SessionID, content: [UInt8])
  /// A node's run is over: none of its sessions begins any more.
  case ended(Incarnation)
  /// Nothing: an owner whose lease had a gap learns from it whether it still is the owner.
  case noop
}

extension LogRow {
  /// The row that puts records behind a head.
  package init(_ records: [LogRecord], after head: JournalHead, epoch: Int64) {
    let batch = JournalBatch(
      firstPosition: head.position + 1, lastPosition: head.position + Int64(records.count),
      payload: LogRecord.encode(records))
    self.init(epoch: epoch, batch: batch, hash: head.runningHash.appending(batch, epoch: epoch))
  }
}
