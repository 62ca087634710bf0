import HearthJournal

/// The store's record of a database's owner. The store's clock judges leases.
package struct OwnerRecord: Sendable, Equatable {
  /// The epoch, raised by every claim, from 0 for a database that never had an owner.
  package var epoch: Int64
  /// The owner; nil when it released the database.
  package var owner: Incarnation?
  /// True when the owner's lease has lapsed.
  package var isLapsed: Bool
  /// The remaining time of the lease unless it is renewed; nil when the store did not report it.
  package var remainingMilliseconds: Int64?

  /// An owner record of these values.
  package init(epoch: Int64, owner: Incarnation?, isLapsed: Bool, remainingMilliseconds: Int64? = nil) {
    self.epoch = epoch
    self.owner = owner
    self.isLapsed = isLapsed
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// A call of a database's state machines to the store. The driver answers every call, with ``StoreAnswer/failed`` once
/// its time limit has passed.
package enum StoreCall: Sendable, Equatable {
  /// Reads the owner record.
  case readOwner
  /// Raises the epoch and makes `by` the owner, durably, if the epoch is still `seen` and there is no owner, or it is
  /// that node, or its lease has lapsed. The new epoch is also above `known`, the epoch of the node's last row: a store
  /// that lost claims and rows could otherwise assign the epoch of lost rows, which the new owner appends again.
  case claim(seen: Int64, known: Int64, by: Incarnation)
  /// Reads rows after a position, from the store's primary.
  case read(after: Int64)
  /// Appends a row, if the last row has this epoch, position *and hash*, and the claimed epoch is still `claim`.
  ///
  /// The hash matters when the store lost acknowledged rows together with a claim: the next owner then has the number
  /// of an epoch that another node believes it has, and positions alone would let both write one log in turns.
  ///
  /// - Parameter entries: The outbox entries of the row, durable together with it or not at all.
  case append(LogRow, after: JournalHead, claim: Int64, entries: [OutboxEntry] = [])
  /// Releases the ownership, if the claimed epoch is still this one.
  case release(epoch: Int64)
  /// Declares an incarnation ended, durably, if its lease has lapsed, or if the node has registered again. From then on
  /// its heartbeats are refused.
  case end(Incarnation)
}

/// The store's answer to a call.
package enum StoreAnswer: Sendable, Equatable {
  case owner(OwnerRecord)
  case claimed(epoch: Int64)
  /// The condition of the call does not hold; nothing was changed.
  case refused
  case rows(LogReading)
  /// The rows after the requested position were pruned and are replaced by a snapshot.
  case pruned
  /// The row, or the call's other effect, is durable.
  case done
  /// The store has no room for the row; nothing was changed.
  case noRoom
  /// The effect of the call is unknown, or it could not be sent.
  case failed
}

/// The result of reading the log.
package struct LogReading: Sendable, Equatable {
  /// The head at the requested position; nil when no row ends there.
  package var start: JournalHead?
  /// Rows from there on without a gap, not necessarily all.
  package var rows: [LogRow]
  /// The log's last row at the time of the read of the first of these rows.
  package var end: JournalHead
  /// The owner record.
  package var owner: OwnerRecord

  /// A reading of these values.
  package init(start: JournalHead?, rows: [LogRow], end: JournalHead, owner: OwnerRecord) {
    self.start = start
    self.rows = rows
    self.end = end
    self.owner = owner
  }

  /// True when the rows reach the end of the log.
  var isComplete: Bool { (rows.last?.head ?? start ?? .empty).position >= end.position }
}
