import HearthCluster
import HearthJournal

extension Simulation {
  /// A node writes its state down, if the log still holds what that was made of; sometimes what comes before an earlier
  /// snapshot is pruned then.
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

  /// What a failover lost, no snapshot was made of.
  package func loseSnapshots() {
    let there = Set(store.rows.map(\.hash))
    snapshots.removeAll { !there.contains($0.head.runningHash) }
  }

  /// A process starts, from some snapshot or none; one that the log has been pruned beyond is told so.
  package func restart(_ node: Int) {
    let snapshot = snapshots.isEmpty || random.isOne(in: 4) ? SimulatedSnapshot() : random.pick(snapshots)
    note("\(nodes[node].id) starts at \(snapshot.head.position)")
    if snapshot.head != .empty { snapshotStartCount += 1 }
    if faults.isEmpty { violations += nodes[node].decider.problems }
    do { try nodes[node].restart(from: snapshot) } catch { violations.append("a snapshot cannot be read: \(error)") }
    add(.deliver(node: node, process: nodes[node].process, .tick), in: 5)
  }

  /// A node that finds no rows behind what it has goes on from the last snapshot.
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
