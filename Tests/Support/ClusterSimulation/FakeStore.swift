import HearthCluster
import HearthJournal

/// A model of one database's rows in a store: the log, the owner's row and the nodes' rows. The state changes when a
/// call takes effect, at the simulated time.
package struct FakeStore: SimulatedStore {
  private struct Node {
    var number: Int64
    var leaseUntil: Int64
    var ended: Int64
    var gaps: Int64 = 0
  }

  package private(set) var stored: [StoredRow] = []
  package private(set) var epoch: Int64 = 0
  package private(set) var owner: Incarnation?
  private var nodes: [NodeID: Node] = [:]
  /// The position before which the log is pruned.
  private var prunings: [Int] = []
  private let leaseMilliseconds: Int64
  private let faults: Set<PlantedFault>

  package init(leaseMilliseconds: Int64, faults: Set<PlantedFault>) {
    self.leaseMilliseconds = leaseMilliseconds
    self.faults = faults
  }

  private var record: OwnerRecord {
    OwnerRecord(epoch: epoch, owner: owner, isLapsed: owner.map { isLapsed($0, at: now) } ?? false)
  }
  private var now: Int64 = 0
  package private(set) var failoverCount = 0

  private func isLapsed(_ incarnation: Incarnation, at time: Int64) -> Bool {
    guard let node = nodes[incarnation.node] else { return true }
    return node.number != incarnation.number || node.ended >= incarnation.number || node.leaseUntil < time
  }

  package mutating func take(_ call: NodeLease.Call, at time: Int64) -> NodeLease.Answer {
    switch call {
    case .register(let node):
      let number = max((nodes[node]?.number ?? 0) + 1, time)
      nodes[node] = Node(number: number, leaseUntil: time + leaseMilliseconds, ended: number - 1)
      return .registered(Incarnation(node: node, number: number))
    case .heartbeat(let incarnation):
      guard let node = nodes[incarnation.node], node.number == incarnation.number, node.ended < incarnation.number
      else {
        return .ended
      }
      nodes[incarnation.node]?.leaseUntil = time + leaseMilliseconds
      if node.leaseUntil < time { nodes[incarnation.node]?.gaps += 1 }
      return .renewed(gaps: nodes[incarnation.node]?.gaps ?? 0)
    }
  }

  /// Executes any call but an append, which takes effect in two steps.
  package mutating func take(_ call: StoreCall, at time: Int64) -> StoreAnswer {
    now = time
    switch call {
    case .readOwner: return .owner(record)
    case .claim(let seen, let known, let me):
      guard epoch == seen, owner == nil || owner?.node == me.node || record.isLapsed else { return .refused }
      epoch = max(epoch, known) + 1
      owner = me
      return .claimed(epoch: epoch)
    case .read(let position):
      let oldest = prunings.last.map { stored[$0].row.batch.firstPosition } ?? 1
      guard oldest <= max(1, position) || head.position <= position else { return .pruned }
      var (start, first): (JournalHead?, Int) = (position == 0 ? .empty : nil, 0)
      if let place = stored.lastIndex(where: { $0.row.batch.lastPosition == position }) {
        (start, first) = (stored[place].row.head, place + 1)
      }
      let rows = start == nil ? [] : Array(stored[first...].prefix(12).map(\.row))
      return .rows(LogReading(start: start, rows: rows, end: head, owner: record))
    case .release(let claimed):
      guard epoch == claimed else { return .refused }
      owner = nil
      return .done
    case .end(let incarnation):
      guard isLapsed(incarnation, at: time), !faults.contains(.deadNodesNotEnded) else { return .refused }
      if let node = nodes[incarnation.node] {
        nodes[incarnation.node]?.ended = max(node.ended, incarnation.number)
      }
      return .done
    case .append: return .failed
    }
  }

  /// Returns true when an append's conditions hold, when its statement begins.
  package func mayAppend(_ row: LogRow, after before: JournalHead, claim: Int64) -> Bool {
    if faults.contains(.fencingOff) { return true }
    return epoch == claim && hasPredecessor(before)
  }

  /// Stores a row at the end of its statement, if its position is free and the row before it is there.
  package mutating func completeAppend(_ row: LogRow, after before: JournalHead, claim: Int64, by writer: NodeID)
    -> Bool
  {
    var row = row
    if faults.contains(.fencingOff) {
      let count = row.batch.lastPosition - row.batch.firstPosition
      row.batch.firstPosition = head.position + 1
      row.batch.lastPosition = row.batch.firstPosition + count
      row.hash = head.runningHash.appending(row.batch, epoch: row.epoch)
    }
    guard head.position == row.batch.firstPosition - 1, hasPredecessor(before) || faults.contains(.fencingOff) else {
      return false
    }
    stored.append(StoredRow(row: row, writer: writer, epoch: epoch, owner: owner))
    return true
  }

  private func hasPredecessor(_ before: JournalHead) -> Bool { head == before }

  package mutating func prune(before position: Int64) {
    guard let place = stored.lastIndex(where: { $0.row.batch.lastPosition == position }),
      place > prunings.last ?? 0
    else { return }
    prunings.append(place)
  }

  /// Fails over to a server that lacks the last rows, and possibly claims. Statements in progress end with the old
  /// server.
  package mutating func loseTail(_ count: Int, withClaims: Bool) {
    failoverCount += 1
    stored.removeLast(min(count, stored.count))
    // The new server has not yet pruned rows that belong to a snapshot it lacks.
    prunings.removeAll { $0 >= stored.count }
    if withClaims { (epoch, owner) = (stored.last?.epoch ?? 0, stored.last?.owner) }
  }
}
