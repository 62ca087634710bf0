import HearthJournal

/// The store's record of a database's owner. Its information on the lease is by the store's clock.
package struct OwnerRecord: Sendable, Equatable {
  /// The epoch, raised by every claim, from 0 for a database that never had an owner.
  package var epoch: Int64
  /// The owner; nil when it released the database.
  package var owner: Incarnation?
  /// True when the owner's lease has lapsed.
  package var isLapsed: Bool
  /// The remaining time of the lease unless it is renewed, in milliseconds; nil when the store did not report it.
  package var remainingMilliseconds: Int64?

  /// Creates an owner record of these values.
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
  /// Raises the epoch and makes `by` the owner, durably, if the epoch is still `seen` and there is no owner, or the
  /// same node is the owner, or the owner's lease has lapsed. The new epoch is also above `known`, the epoch of the
  /// node's last row: a store that lost claims and rows could otherwise assign the epoch of lost rows a second time.
  case claim(seen: Int64, known: Int64, by: Incarnation)
  /// Reads rows after a position, from the store's primary.
  case read(after: Int64)
  /// Appends a row, if the last row has this epoch, position *and hash*, and the claimed epoch is still `claim`.
  ///
  /// The hash matters when the store lost acknowledged rows together with a claim: two nodes may then hold the same
  /// epoch, and with positions alone both could append to the log in turns.
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
  /// The effect of the call, such as an appended row, is durable.
  case done
  /// The store has no space for the row; nothing was changed.
  case noRoom
  /// The effect of the call is unknown, or the call could not be sent.
  case failed
}

/// The result of reading the log.
package struct LogReading: Sendable, Equatable {
  /// The head at the requested position; nil when no row ends there.
  package var start: JournalHead?
  /// Rows from the requested position on, without a gap; not necessarily all of them.
  package var rows: [LogRow]
  /// The end of the log at the time when the first of the rows was read.
  package var end: JournalHead
  /// The owner record.
  package var owner: OwnerRecord

  /// Creates a result of these values.
  package init(start: JournalHead?, rows: [LogRow], end: JournalHead, owner: OwnerRecord) {
    self.start = start
    self.rows = rows
    self.end = end
    self.owner = owner
  }

  /// True when the rows reach the end of the log.
  var isComplete: Bool { (rows.last?.head ?? start ?? .empty).position >= end.position }
}
