import Dispatch
import HearthEngine
import HearthJournal

/// The journal queue: takes batches from the pipeline, makes them durable, then releases their effects.
extension Database {
  func writeWaiting() {
    while true {
      let (early, batches, status, isInDoubt) = pipeline.withLock { line in
        let (early, batches) = (line.early, line.take(sizeBytesMax: groupBytesMax))
        line.early = []
        line.isAwake = !batches.isEmpty || !early.isEmpty
        if line.isFull {
          line.isFull = false
          room.signal()
        }
        return (early, batches, line.status, line.isInDoubt)
      }
      guard !batches.isEmpty || !early.isEmpty else { return }
      deliver(early)
      guard !batches.isEmpty else { continue }
      guard status == .running else {
        environment.meters.lost(batches)
        deliver(batches.flatMap { $0.effects.refused(isUnknown: isInDoubt) })
        continue
      }
      do throws(JournalError) {
        try store(batches)
        deliver(batches)
      } catch {
        if error.isPassing { stall(batches, error) } else { halt(batches, error) }
      }
    }
  }

  /// The size limit of one append: the limit of waiting bytes plus one large write.
  var groupBytesMax: Int { limits.bytesPendingMax + limits.engine.recordBytesMax }

  /// Group commit: batches that waited together share one append and one sync.
  func store(_ batches: [Batch]) throws(JournalError) {
    guard let state = batches.last?.state else { return }
    var (payload, firstPosition): ([UInt8], Int64?) = ([], nil)
    for batch in batches where batch.hasCommits {
      firstPosition = firstPosition ?? batch.firstPosition
      if payload.isEmpty { payload = batch.payload } else { payload.append(contentsOf: batch.payload) }
    }
    guard let firstPosition else { return environment.meters.written(batches) }
    let batch = JournalBatch(firstPosition: firstPosition, lastPosition: state.position, payload: payload)
    let start = environment.meters.now()
    let newHead = try outboxes.append(
      batch, of: batches.flatMap(\.changes), to: journal, after: pipeline.withLock { $0.head })
    environment.meters.stored(batches, bytes: payload.count, since: start)
    environment.meters.written(batches)
    durable.replace(state)
    for batch in batches { pulse.note(batch.places) }
    noteAppend(newHead, payload.count, state)
  }

  /// Stops all writing. These batches may or may not be on the disk; later ones are not.
  func halt(_ batches: [Batch], _ error: JournalError) {
    pipeline.withLock { line in
      line.status = .halted(error)
      line.stall = nil
    }
    environment.meters.lost(batches)
    environment.notice(.halted(error))
    deliver(batches.flatMap { $0.effects.refused(isUnknown: error.leavesOutcomeUnknown) })
  }

  /// Releases the effects of durable batches. First informs the engine which turns begin, since a client may answer at
  /// once.
  func deliver(_ batches: [Batch]) {
    if let turn = batches.last(where: { $0.turn != nil })?.turn {
      submit([Command(connection: ConnectionID(rawValue: 0), action: .turnsTold(upTo: turn))])
    }
    let arrival = batches.lazy.map(\.arrivalNanoseconds).filter { $0 > 0 }.min() ?? 0
    deliver(batches.count == 1 ? batches[0].effects : batches.flatMap(\.effects), arrivalNanoseconds: arrival)
  }

  /// - Parameter arrivalNanoseconds: The arrival time of the oldest command behind the effects; 0 when unknown.
  func deliver(_ effects: [Effect], arrivalNanoseconds: UInt64 = 0) {
    if !effects.isEmpty { environment.deliver(effects, arrivalNanoseconds) }
  }

  private func noteAppend(_ head: JournalHead, _ sizeBytes: Int, _ state: Published) {
    let isSnapshotDue = pipeline.withLock { line in
      line.head = head
      line.snapshots.appended(sizeBytes)
      guard line.snapshots.isDue(limits), line.stall == nil, !state.hasOpenPieces else { return false }
      return line.snapshots.begin()
    }
    if isSnapshotDue { snapshotQueue.async { self.writeSnapshot(state) } }
  }
}
