import HearthEngine
import HearthJournal

/// Sessions of connections that were open when a server ended.
enum LeftoverSessions {
  /// Executes and stores the on-disconnect writes of connections that ended with the server. There are no listens yet,
  /// so the only effects are refusals, for the operator's log.
  static func end(
    in engine: inout Engine, _ journal: any Journal, _ head: inout JournalHead, _ log: inout SnapshotSchedule.Log,
    _ environment: DatabaseEnvironment, _ outboxes: OutboxHolder
  ) throws -> [Effect] {
    var effects: [Effect] = []
    while engine.hasLeftoverSessions {
      let batch = engine.decide([], at: environment.clock())
      head = try outboxes.append(
        JournalBatch(
          firstPosition: batch.firstPosition, lastPosition: batch.state.position, payload: batch.payload),
        of: batch.changes, to: journal, after: head)
      effects += batch.effects
      log.bytes += batch.payload.count
      log.batchCount += 1
    }
    return effects
  }
}
