import HearthJournal

/// Who owns a database, as the store says. Its clock judges leases.
package struct OwnerRecord: Sendable, Equatable {
  /// Raised by every claim, from 0 for a database that nobody ever owned.
  package var epoch: Int64
  /// The owner; nil when it was given up.
  package var owner: Incarnation?
  /// True when the owner's lease is over.
  package var isLapsed: Bool
  /// The time that it goes on otherwise, unless it is renewed; nil when the store did not say.
  package var remainingMilliseconds: Int64?

  /// What the store says of a database.
  package init(epoch: Int64, owner: Incarnation?, isLapsed: Bool, remainingMilliseconds: Int64? = nil) {
    self.epoch = epoch
    self.owner = owner
    self.isLapsed = isLapsed
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// What a database's machines ask of the store. Whoever drives them answers every call, at the latest when its own time
/// for it is over, with ``StoreAnswer/failed``.
package enum StoreCall: Sendable, Equatable {
  /// Who owns the database.
  case readOwner
  /// Raises the epoch and makes `by` the owner, durably, if the epoch still is `seen` and there is no owner, or it is that
  /// node, or its lease is over. The new epoch is above `known` as well: a store that lost claims would otherwise give out
  /// one that rows have which are put back.
  case claim(seen: Int64, known: Int64, by: Incarnation)
  /// Reads rows after a position, from the store's primary.
  case read(after: Int64)
  /// Adds a row, if the row before it is there with this epoch, position *and hash*, nothing comes after it, and the
  /// claimed epoch still is `claim`.
  ///
  /// The hash matters when the store lost acknowledged rows together with a claim: the next owner then has the number of
  /// an epoch that somebody else believes to have, and positions alone would let both write one log in turns.
  ///
  /// - Parameter entries: What is to be done because of it: durable together with the row, or not at all.
  case append(LogRow, after: JournalHead, claim: Int64, entries: [OutboxEntry] = [])
  /// Gives the database up, if the claimed epoch still is this one.
  case release(epoch: Int64)
  /// Declares a node's run over, durably, if its lease is, or if the node has registered anew. From then on its
  /// heartbeats are refused.
  case end(Incarnation)
}

/// What the store answers.
package enum StoreAnswer: Sendable, Equatable {
  case owner(OwnerRecord)
  case claimed(epoch: Int64)
  /// The condition of a call does not hold; nothing was changed.
  case refused
  case rows(LogReading)
  /// Rows behind the position that was asked for are no more: a snapshot stands for them.
  case pruned
  /// The row is durable, or the call's other effect is.
  case done
  /// There is no room for a row; nothing was changed.
  case noRoom
  /// Nobody knows whether the call had its effect, or it could not be sent at all.
  case failed
}

/// What a reading of the log found.
package struct LogReading: Sendable, Equatable {
  /// The place where the log stands at the position that was asked for; nil when no row ends there.
  package var start: JournalHead?
  /// Rows from there on, without a gap; not necessarily all.
  package var rows: [LogRow]
  /// The log's last row, when the first of these was read.
  package var end: JournalHead
  /// Who owns the database.
  package var owner: OwnerRecord

  /// What a reading found.
  package init(start: JournalHead?, rows: [LogRow], end: JournalHead, owner: OwnerRecord) {
    self.start = start
    self.rows = rows
    self.end = end
    self.owner = owner
  }

  /// True when these rows are all there are.
  var isComplete: Bool { (rows.last?.head ?? start ?? .empty).position >= end.position }
}
