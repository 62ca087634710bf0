import HearthEngine
import HearthTree

/// The figures of a database at one moment, for monitoring.
public struct DatabaseFigures: Sendable {
  /// True when the database accepts writes.
  public var isRunning: Bool
  /// The number of known connections.
  public var connectionCount: Int
  /// The number of granted listens.
  public var listenCount: Int
  /// The number of commands waiting to be decided.
  public var waitingCommandCount: Int
  /// The bytes of the waiting commands, as stated by their senders.
  public var waitingCommandBytes: Int
  /// The number of commands waiting for a large write.
  public var largeWriteWaitingCount: Int
  /// The number of commands waiting for the owner of the followed log.
  public var forwardedCommandCount: Int
  /// The number of batches waiting for the disk.
  public var waitingBatchCount: Int
  /// The bytes of records since the last snapshot.
  public var journalBytes: Int
  /// The bytes of the last snapshot; 0 before the first.
  public var snapshotBytes: Int
  /// The position of the last durable commit.
  public var position: Int64
  /// The figures of its pages; nil for a database whose data stays in memory.
  public var pages: PageFigures?
}

/// The figures of a database's pages at one moment.
public struct PageFigures: Sendable, Equatable {
  /// The bytes of stored pages that are in memory, in any version.
  public var residentBytes: Int
  /// The approximate bytes of pages in memory that the next checkpoint stores.
  public var dirtyBytes: Int
  /// The number of pages and branches that were read from the files since the process first opened them.
  public var loadCount: Int
  /// The number of reads among these that failed.
  public var failedLoadCount: Int
  /// The bytes of the files in use.
  public var fileBytes: Int
  /// The bytes that the last checkpoint wrote; 0 before the first one since the database was opened.
  public var checkpointBytes: Int
  /// The duration of the last checkpoint; 0 before the first one since the database was opened.
  public var checkpointMilliseconds: Int64
  /// The bytes of files that the present data does not need, and that stay for the history or until a reader has ended.
  public var historyBytes: Int
  /// The estimated bytes of the files with pages that no version has any more, which cleaning makes free.
  public var deadBytes = 0
  /// The bytes of the files that cleaning has removed since the database was opened.
  public var cleanedBytes = 0
  /// True while the files are cleaned.
  public var isCleaning = false
  /// The reason why the last cleaning ended early; nil when it was complete, or there was none.
  public var cleaningProblem: String?
}

extension DatabaseFigures {
  /// True when there are no connections and no work is under way.
  public var isIdle: Bool {
    connectionCount == 0 && waitingCommandCount == 0 && largeWriteWaitingCount == 0 && forwardedCommandCount == 0
      && waitingBatchCount == 0
  }
}

extension SnapshotStore {
  /// See ``DatabaseFigures/pages``; without those of the cleaning.
  fileprivate var pageFigures: PageFigures? {
    guard let pagedStorage else { return nil }
    let (dirtyBytes, last) = schedule.withLock { ($0.dirtyBytes, $0.lastCheckpoint) }
    let counts = pagedStorage.counts
    return PageFigures(
      residentBytes: counts.residentBytes, dirtyBytes: dirtyBytes, loadCount: counts.loadCount,
      failedLoadCount: counts.failedLoadCount, fileBytes: counts.fileBytes, checkpointBytes: last.sizeBytes,
      checkpointMilliseconds: last.milliseconds, historyBytes: pagedStorage.files.releasedBytes)
  }
}

extension Database {
  /// The figures of the pages; nil for a database whose data stays in memory.
  private var pageFigures: PageFigures? {
    guard var figures = snapshots.pageFigures else { return nil }
    (figures.deadBytes, figures.cleanedBytes) = (cleaner.deadBytes, cleaner.cleanedBytes)
    (figures.isCleaning, figures.cleaningProblem) = cleaner.status
    return figures
  }

  /// Returns the present figures. May wait for a batch that is being decided: must not run on event loops.
  public func figures() -> DatabaseFigures {
    let (connectionCount, listenCount) = decider.engine.withLock { ($0.connectionCount, $0.listenCount) }
    let (commandCount, commandBytes) = decider.mailbox.withLock { ($0.count, $0.sizeBytes) }
    let forwardedCommandCount = decider.following?.forwarding.withLock { $0.waitingCount + $0.openCount } ?? 0
    let position = published.position
    let (isRunning, batchCount) = writer.batches.pipeline.withLock { ($0.status == .running, $0.waiting.count) }
    let (journalBytes, snapshotBytes) = snapshots.schedule.withLock { ($0.log.bytes, $0.snapshotBytes) }
    return DatabaseFigures(
      isRunning: isRunning, connectionCount: connectionCount, listenCount: listenCount,
      waitingCommandCount: commandCount, waitingCommandBytes: commandBytes,
      largeWriteWaitingCount: decider.large.waitingCount, forwardedCommandCount: forwardedCommandCount,
      waitingBatchCount: batchCount, journalBytes: journalBytes, snapshotBytes: snapshotBytes, position: position,
      pages: pageFigures)
  }
}
