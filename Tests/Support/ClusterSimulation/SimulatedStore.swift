import HearthCluster
import HearthJournal

/// A row, and what the store knew when it came.
package struct StoredRow {
  package var row: LogRow
  package var writer: NodeID
  package var epoch: Int64
  package var owner: Incarnation?

  package init(row: LogRow, writer: NodeID, epoch: Int64, owner: Incarnation?) {
    (self.row, self.writer, self.epoch, self.owner) = (row, writer, epoch, owner)
  }
}

/// What a store is to the simulation: calls take effect at once, at a time that it is told.
package protocol SimulatedStore {
  var stored: [StoredRow] { get }
  var epoch: Int64 { get }
  /// How often it lost its tail: what was under way is over then.
  var failoverCount: Int { get }

  mutating func take(_ call: NodeLease.Call, at time: Int64) -> NodeLease.Answer

  /// Takes any call but an append, which takes effect in two steps.
  mutating func take(_ call: StoreCall, at time: Int64) -> StoreAnswer

  /// Returns true when an append's conditions hold, when its statement begins.
  func mayAppend(_ row: LogRow, after before: JournalHead, claim: Int64) -> Bool

  /// A row lands, when its statement ends: its place is free, and the row before it is there.
  mutating func land(_ row: LogRow, after before: JournalHead, claim: Int64, by writer: NodeID) -> Bool

  /// Takes rows away that end before a position, at which a row ends.
  mutating func prune(before position: Int64)

  /// A failover to a server that lacks the last rows, and perhaps claims.
  mutating func loseTail(_ count: Int, withClaims: Bool)
}

extension SimulatedStore {
  package var rows: [LogRow] { stored.map(\.row) }
  package var head: JournalHead { stored.last?.row.head ?? .empty }
}
