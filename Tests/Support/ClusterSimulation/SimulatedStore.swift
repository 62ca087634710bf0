import HearthCluster
import HearthJournal

/// A row with the state of the store at its insertion.
package struct StoredRow {
  package var row: LogRow
  package var writer: NodeID
  package var epoch: Int64
  package var owner: Incarnation?

  package init(row: LogRow, writer: NodeID, epoch: Int64, owner: Incarnation?) {
    (self.row, self.writer, self.epoch, self.owner) = (row, writer, epoch, owner)
  }
}

/// The interface of a store in the simulation: calls take effect at once, at a given time.
package protocol SimulatedStore {
  var stored: [StoredRow] { get }
  var epoch: Int64 { get }
  /// The number of failovers; each one ends the statements in progress.
  var failoverCount: Int { get }

  mutating func take(_ call: NodeLease.Call, at time: Int64) -> NodeLease.Answer

  /// Executes any call but an append, which takes effect in two steps.
  mutating func take(_ call: StoreCall, at time: Int64) -> StoreAnswer

  /// Returns true when an append's conditions hold, when its statement begins.
  func mayAppend(_ row: LogRow, after before: JournalHead, claim: Int64) -> Bool

  /// Stores a row at the end of its statement, if its position is free and the row before it is there.
  mutating func completeAppend(_ row: LogRow, after before: JournalHead, claim: Int64, by writer: NodeID) -> Bool

  /// Removes rows that end before a position; a row must end at that position.
  mutating func prune(before position: Int64)

  /// Fails over to a server that lacks the last rows, and possibly claims.
  mutating func loseTail(_ count: Int, withClaims: Bool)
}

extension SimulatedStore {
  package var rows: [LogRow] { stored.map(\.row) }
  package var head: JournalHead { stored.last?.row.head ?? .empty }
}
