import HearthEngine
import HearthJournal

/// Sessions of connections that were open when a server ended.
enum LeftoverSessions {
  /// Executes and stores the on-disconnect writes of connections that ended with the server. There are no listens yet,
  /// so the only effects are refusals, for the operator's log.
  static func end(
    in engine: inout Engine, _ journal: any Journal, _ head: inout JournalHead, _ log: inout SnapshotSchedule.Log,
    _ environment: DatabaseEnvironment, _ outboxes: OutboxHolder, _ pages: PagedStorage?
  ) throws -> [Effect] {
    var effects: [Effect] = []
    try pages?.requireComplete()
    while engine.hasLeftoverSessions {
      let batch = engine.decide([], at: environment.clock())
      try pages?.requireComplete()
      head = try outboxes.append(
        JournalBatch(
          firstPosition: batch.firstPosition, lastPosition: batch.state.position, payload: batch.payload),
        of: batch.changes, to: journal, after: head)
      effects += batch.effects
      log.bytes += batch.payload.count
      log.batchCount += 1
      log.commitCount += Int(clamping: batch.state.position - batch.firstPosition + 1)
    }
    return effects
  }
}
