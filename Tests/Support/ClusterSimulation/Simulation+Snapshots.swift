import HearthCluster
import HearthJournal

extension Simulation {
  /// Takes a snapshot of a node if the log still has the rows of which its state is made. Sometimes also prunes the log
  /// before an earlier snapshot.
  package func takeSnapshot() {
    if time < plan.callsFailUntil {
      schedule.add(.snapshot, at: time + 1 + Int64(random.below(2 * plan.snapshotMilliseconds)))
    }
    let node = random.pick(nodes)
    let head = node.member.replica.head
    guard node.isUp, node.frozenUntil <= time, outageUntil <= time, head.position > snapshots.last?.head.position ?? 0,
      store.rows.contains(where: { $0.head == head })
    else { return }
    note("\(node.id) takes a snapshot at \(head.position)")
    snapshots.append(SimulatedSnapshot(of: node))
    if random.isOne(in: 2) {
      let kept = random.pick(snapshots).head.position
      note("the log before \(kept) is pruned")
      store.prune(before: kept)
    }
  }

  /// Drops snapshots with rows that a failover lost.
  package func loseSnapshots() {
    let there = Set(store.rows.map(\.hash))
    snapshots.removeAll { !there.contains($0.head.runningHash) }
  }

  /// Starts a process from a snapshot or from none; a node whose next row is pruned gets an error.
  package func restart(_ node: Int) {
    let snapshot = snapshots.isEmpty || random.isOne(in: 4) ? SimulatedSnapshot() : random.pick(snapshots)
    note("\(nodes[node].id) starts at \(snapshot.head.position)")
    if snapshot.head != .empty { snapshotStartCount += 1 }
    if faults.isEmpty { violations += nodes[node].decider.contractViolations }
    do { try nodes[node].restart(from: snapshot) } catch { violations.append("a snapshot cannot be read: \(error)") }
    add(.deliver(node: node, process: nodes[node].process, .tick), in: 5)
  }

  /// Loads the last snapshot into a node whose next row is pruned.
  package func restore(_ node: Int) {
    guard nodes[node].member.replica.isPruned else { return }
    let snapshot = snapshots.last ?? SimulatedSnapshot()
    snapshotRestoreCount += 1
    nodes[node].loaded = snapshot
    do {
      handle(.restored(snapshot.head, try nodes[node].table(of: snapshot)), on: node)
    } catch {
      violations.append("a snapshot cannot be read: \(error)")
    }
  }
}
