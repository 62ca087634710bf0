import HearthJournal

/// The session and number of the request behind a record, by which a repeated request is recognised.
package struct Origin: Sendable, Hashable {
  /// The session.
  package var session: SessionID
  /// The number of the request; the requests of a session are numbered from 1.
  package var request: UInt64
  /// The number of the last request up to which all were answered when this one was sent, so that their outcomes are no
  /// longer needed.
  package var answered: UInt64

  /// Creates the origin of a record.
  package init(session: SessionID, request: UInt64, answered: UInt64) {
    self.session = session
    self.request = request
    self.answered = answered
  }

  /// True when the unanswered requests of the session do not exceed ``ClusterLimits/sessionRequestsMax``.
  var isWithinLimit: Bool {
    request > answered && request - answered <= UInt64(ClusterLimits.sessionRequestsMax)
  }
}

/// A record of the log, one for each position; the cluster does not interpret the engine's frames in it.
package enum LogRecord: Sendable, Equatable {
  /// A frame of the engine with its length, as a server without a cluster writes it.
  case plain([UInt8])
  /// The first record of every epoch. The owner serves no client before this record is durable. Rows of an earlier
  /// owner were either stored before it, and then read, or they are refused because their position is taken.
  case takeover(Incarnation)
  /// The last record of an epoch whose owner hands the database over to another node.
  case handoff(to: NodeID)
  /// The beginning of a session. Writes of sessions that have not begun, or have ended, are not applied.
  case open(SessionID, edge: Incarnation, ordinal: UInt64)
  /// The outcome of a request in engine frames, with all server values resolved.
  case write(Origin, content: [UInt8])
  /// The end of a session, with its on-disconnect writes in engine frames.
  case disconnect(SessionID, content: [UInt8])
  /// The end of a node's incarnation: none of its sessions can begin any more.
  case ended(Incarnation)
  /// A record without content, which an owner appends after its lease has lapsed, to find out whether it is still the
  /// owner.
  case noop
}

extension LogRow {
  /// Creates the row that appends records to a head.
  package init(_ records: [LogRecord], after head: JournalHead, epoch: Int64) {
    let batch = JournalBatch(
      firstPosition: head.position + 1, lastPosition: head.position + Int64(records.count),
      payload: LogRecord.encode(records))
    self.init(epoch: epoch, batch: batch, hash: head.runningHash.appending(batch, epoch: epoch))
  }
}
