import HearthEngine
import HearthTree

/// How a database is at one moment, for whoever watches the server.
public struct DatabaseFigures: Sendable {
  /// True when it takes writes.
  public var isRunning: Bool
  /// Connections that it knows.
  public var connectionCount: Int
  /// Listens that are granted.
  public var listenCount: Int
  /// Commands that wait to be decided.
  public var waitingCommandCount: Int
  /// Their bytes, as far as their senders said.
  public var waitingCommandBytes: Int
  /// Commands that wait for a large write.
  public var largeWriteWaitingCount: Int
  /// Commands that wait for the owner of a log that is followed.
  public var askedCommandCount: Int
  /// Batches that wait for the disk.
  public var waitingBatchCount: Int
  /// Bytes of records since the last snapshot.
  public var journalBytes: Int
  /// Bytes of the last snapshot; 0 before the first.
  public var snapshotBytes: Int
  /// The last durable commit.
  public var position: Int64
}

extension DatabaseFigures {
  /// Nobody is connected, and nothing is under way.
  public var isIdle: Bool {
    connectionCount == 0 && waitingCommandCount == 0 && largeWriteWaitingCount == 0 && askedCommandCount == 0
      && waitingBatchCount == 0
  }
}

extension Database {
  /// How it is now. May wait for a batch that is being decided: not for event loops.
  public func figures() -> DatabaseFigures {
    let (connectionCount, listenCount) = engine.withLock { ($0.connectionCount, $0.listenCount) }
    let (commandCount, commandBytes) = mailbox.withLock { ($0.count, $0.sizeBytes) }
    let largeWriteWaitingCount = largeWrites.withLock { $0.waitingCount }
    let askedCommandCount = following?.forwarding.withLock { $0.waitingCount + $0.openCount } ?? 0
    let position = published.position
    return pipeline.withLock { line in
      DatabaseFigures(
        isRunning: line.status == .running, connectionCount: connectionCount, listenCount: listenCount,
        waitingCommandCount: commandCount, waitingCommandBytes: commandBytes,
        largeWriteWaitingCount: largeWriteWaitingCount, askedCommandCount: askedCommandCount,
        waitingBatchCount: line.waiting.count,
        journalBytes: line.snapshots.log.bytes, snapshotBytes: line.snapshots.snapshotBytes, position: position)
    }
  }
}
