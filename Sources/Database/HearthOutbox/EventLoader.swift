import HearthJournal
import HearthTriggers
import Logging

/// The reader of waiting events from the journals into memory, as many as there is room for.
final class EventLoader: Sendable {
  private struct Read {
    var id: QueueID
    var source: Int
    var cursor: OutboxPlace?
    var journal: any OutboxJournal
  }

  /// The number of events in one read from the disk.
  private static let loadedMax = 512
  /// The delay before events that could not be read are read again.
  private static let rereadMilliseconds: Int64 = 5_000

  private let table: QueueTable
  private let outcomes: OutcomeWriter
  private let environment: SenderEnvironment
  private let logger: Logger

  init(table: QueueTable, outcomes: OutcomeWriter, environment: SenderEnvironment, logger: Logger) {
    (self.table, self.outcomes, self.environment, self.logger) = (table, outcomes, environment, logger)
  }

  /// Reads events of all queues that may have more. Blocks.
  ///
  /// - Parameter again: Called on any thread when events that could not be read should be read again..
  func load(again: @escaping @Sendable () -> Void) {
    for read in reads() {
      do throws(JournalError) {
        // Events at the beginning of a queue may have outcomes that are not stored yet, and must not be loaded again;
        // no outcome is stored during this read.
        if read.cursor == nil {
          try outcomes.withoutStoring { () throws(JournalError) in try load(read) }
        } else {
          try load(read)
        }
      } catch {
        logger.error(
          "events cannot be read", metadata: ["trigger": "\(read.id.trigger)", "error": "\(error)"])
        environment.schedule(Self.rereadMilliseconds) { [weak self] in
          guard let self else { return }
          table.state.withLock { $0.queues[read.id]?.hasMore = true }
          again()
        }
      }
    }
  }

  private func reads() -> [Read] {
    table.state.withLock { table in
      table.queues.keys.compactMap { id -> Read? in
        guard let queue = table.queues[id], queue.hasMore, !table.followed.contains(id.database),
          let journal = table.journals[id.database],
          let trigger = table.triggers[id.trigger], !trigger.delivery.isPaused
        else { return nil }
        guard trigger.delivery.room >= Self.loadedMax else { return nil }
        // Clears the flag before the read: events that arrive during it are found by the next one.
        table.queues[id]?.hasMore = false
        return Read(id: id, source: table.number(of: id.database), cursor: queue.cursor, journal: journal)
      }
    }
  }

  private func load(_ read: Read) throws(JournalError) {
    let found = try read.journal.waitingEntries(
      of: read.id.trigger, after: read.cursor, countMax: Self.loadedMax)
    table.state.withLock { table in
      guard table.queues[read.id] != nil, var trigger = table.triggers.removeValue(forKey: read.id.trigger) else {
        return
      }
      defer { table.triggers[read.id.trigger] = trigger }
      if found.count == Self.loadedMax { table.queues[read.id]?.hasMore = true }
      if let last = found.last { table.queues[read.id]?.cursor = last.place }
      let over = read.cursor == nil ? outcomes.settledPlaces(in: read.id) : []
      let events = found.filter { !over.contains($0.place) }.map { WaitingEvent($0, source: read.source) }
      // A read from the beginning also finds events that are in memory already.
      trigger.delivery.add(events.filter { !trigger.delivery.knows($0) })
    }
  }
}

extension WaitingEvent {
  fileprivate init(_ entry: WaitingEntry, source: Int) {
    self.init(
      key: EventKey(source: source, position: entry.place.position, ordinal: entry.place.ordinal), ref: entry.lane,
      milliseconds: entry.milliseconds, attemptCount: entry.attemptCount, dueMilliseconds: entry.dueMilliseconds,
      sizeBytes: entry.sizeBytes)
  }
}
