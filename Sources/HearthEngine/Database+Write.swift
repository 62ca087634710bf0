import Dispatch
import HearthJournal

/// The journal queue: pipeline to disk, and then to the world.
extension Database {
  func writeWaiting() {
    while true {
      let (batches, status, head) = pipeline.withLock { line in
        let batches = line.waiting
        line.waiting = []
        line.waitingBytes = 0
        line.isAwake = !batches.isEmpty
        if line.isFull {
          line.isFull = false
          room.signal()
        }
        return (batches, line.status, line.head)
      }
      guard let last = batches.last else { return }
      if status == .running {
        write(batches, last.state, after: head)
      } else {
        deliver(batches.flatMap { Self.refused($0.effects) })
      }
    }
  }

  /// Group commit: batches that waited together share one append and one sync.
  private func write(_ batches: [Batch], _ state: Published, after head: JournalHead) {
    var (payload, firstPosition): ([UInt8], Int64?) = ([], nil)
    for batch in batches where batch.hasCommits {
      firstPosition = firstPosition ?? batch.firstPosition
      if payload.isEmpty { payload = batch.payload } else { payload.append(contentsOf: batch.payload) }
    }
    if let firstPosition {
      do {
        let batch = JournalBatch(firstPosition: firstPosition, lastPosition: state.position, payload: payload)
        let newHead = try journal.append(batch, after: head)
        durable.withLock { $0 = state }
        noteAppend(newHead, payload.count, state)
      } catch {
        pipeline.withLock { $0.status = .halted(error) }
        environment.notice(.halted(error))
        return deliver(batches.flatMap { Self.refused($0.effects) })
      }
    }
    deliver(batches.count == 1 ? batches[0].effects : batches.flatMap(\.effects))
  }

  private func deliver(_ effects: [Effect]) {
    if !effects.isEmpty { environment.deliver(effects) }
  }

  /// What remains of effects whose commits are not durable: everybody who waits is told that it was not done, and
  /// nobody is told of a change. Who lost a permission stays without it.
  private static func refused(_ effects: [Effect]) -> [Effect] {
    effects.compactMap { effect in
      switch effect {
      case .event, .queryEvent: nil
      case .reply(let connection, let request, _):
        .reply(connection, request: request, .failure(.unavailable))
      case .cancel, .redecided, .authenticationEnded, .denied: effect
      }
    }
  }

  private func noteAppend(_ head: JournalHead, _ sizeBytes: Int, _ state: Published) {
    let isSnapshotDue = pipeline.withLock { line in
      line.head = head
      line.bytesSinceSnapshot += sizeBytes
      let isDue = line.bytesSinceSnapshot > max(limits.snapshotIntervalBytes, line.snapshotBytes)
      guard isDue, !line.isWritingSnapshot else { return false }
      line.isWritingSnapshot = true
      return true
    }
    if isSnapshotDue { snapshotQueue.async { self.writeSnapshot(state) } }
  }
}
