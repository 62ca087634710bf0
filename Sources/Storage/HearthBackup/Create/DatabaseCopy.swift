import HearthJournal

/// The copy of a journal's state into a store of backups, continuing from the previous backup.
struct DatabaseCopy {
  let store: any BlobStore
  /// The repository of older backups, whose small segments are merged; nil for a backup into a stream.
  let repository: BackupRepository?
  /// True when a new base is always taken.
  let isFull: Bool
  /// True when there is a previous backup, even if it does not contain this journal.
  let hasPreviousBackup: Bool

  /// - Parameter former: The same journal in the previous backup; nil when it is not in it, or there is none.
  /// - Throws: `JournalError`, `BackupError`.
  func copy(_ part: ConsistentView.Part, after former: Manifest.Database?) throws -> Manifest.Database {
    var database = Manifest.Database(
      name: part.name, position: part.head.position, runningHash: part.head.runningHash, epoch: part.head.epoch,
      base: nil, segments: [])
    guard let former, let new = try segment(part, after: former) else {
      try copyFromSnapshot(part, &database)
      // The journal is new since the previous backup. The log from its beginning is stored, if it is still complete, so
      // that any time since that backup can be restored, including times before the snapshot.
      if former == nil, hasPreviousBackup, let all = try wholeLog(part) { database.segments = all }
      return database
    }
    database.segments = former.segments + new
    database.base = former.base
    if let snapshot = part.view.snapshot, snapshot.position > former.firstPosition,
      isFull || isLong(former, database.segments)
    {
      database.base = try base(snapshot, part.view)
      // The batches since the previous backup are stored, because states between the two backups need them.
      database.segments = former.segments.filter { $0.last > snapshot.position } + new
    } else if isFull {
      try copyFromSnapshot(part, &database)
      return database
    }
    try mergeSmall(&database.segments)
    return database
  }

  /// Copies the snapshot, if there is one, and the log after it.
  private func copyFromSnapshot(_ part: ConsistentView.Part, _ database: inout Manifest.Database) throws {
    database.base = try part.view.snapshot.map { try base($0, part.view) }
    database.segments = []
    let position = database.base?.position ?? 0
    guard let new = try segment(part, after: position, database.base?.runningHash ?? .empty) else {
      throw BackupError(
        .source,
        "the log of \(part.name) does not continue its snapshot at position \(position); check it with hearth repair"
      )
    }
    database.segments = new
  }

  /// Returns the log from its beginning; nil when its first batches are no longer there.
  private func wholeLog(_ part: ConsistentView.Part) throws -> [Manifest.Segment]? {
    do {
      return try segment(part, after: 0, .empty)
    } catch let error as JournalError where error.code == .pruned {
      return nil
    }
  }

  /// Returns the batches since the previous backup; nil when this log does not continue it, because batches were lost
  /// or the log was replaced by a different one.
  private func segment(_ part: ConsistentView.Part, after former: Manifest.Database) throws -> [Manifest.Segment]? {
    guard former.position <= part.head.position else { return nil }
    return try segment(part, after: former.position, former.runningHash)
  }

  /// Returns the batches between a position and the end of the view; empty when there are none, nil when they do not
  /// follow the position.
  private func segment(
    _ part: ConsistentView.Part, after position: Int64, _ hash: RunningHash
  ) throws -> [Manifest.Segment]? {
    var (end, endHash, follows) = (position, hash, true)
    guard position < part.head.position else { return part.head.runningHash == hash ? [] : nil }
    var writer = StreamWriter(store)
    try part.view.forEachLink(after: position) { link in
      guard end < part.head.position else { return false }
      follows = link.follows(end, endHash) && link.batch.lastPosition <= part.head.position
      guard follows else { return false }
      try writer.write(SegmentFormat.encode(link))
      (end, endHash) = (link.batch.lastPosition, link.runningHash)
      return true
    }
    guard follows, end == part.head.position, endHash == part.head.runningHash else { return nil }
    return [Manifest.Segment(first: position + 1, last: end, stream: try writer.finish())]
  }

  private func base(_ snapshot: SnapshotInfo, _ view: any JournalView) throws -> Manifest.Base {
    var writer = StreamWriter(store)
    try view.forEachChunk { try writer.write($0) }
    return Manifest.Base(
      position: snapshot.position, runningHash: snapshot.runningHash, stream: try writer.finish())
  }

  /// Returns true when the log after the base exceeds both the base's size and ``BackupLimits/rebaseBytes``.
  private func isLong(_ former: Manifest.Database, _ segments: [Manifest.Segment]) -> Bool {
    let logBytes = segments.reduce(0) { $0 + ($1.last > former.firstPosition ? $1.stream.sizeBytes : 0) }
    return logBytes > max(BackupLimits.rebaseBytes, former.base?.stream.sizeBytes ?? 0)
  }

  /// Merges adjacent small segments, when there are many.
  private func mergeSmall(_ segments: inout [Manifest.Segment]) throws {
    guard let repository, segments.count > BackupLimits.segmentsBeforeMerge else { return }
    var joined: [Manifest.Segment] = []
    var run: [Manifest.Segment] = []
    func end() throws {
      if run.count > 1, let first = run.first, let last = run.last {
        var writer = StreamWriter(store)
        for segment in run {
          try repository.read(segment.stream) { piece in
            try writer.write(piece)
            return true
          }
        }
        joined.append(Manifest.Segment(first: first.first, last: last.last, stream: try writer.finish()))
      } else {
        joined += run
      }
      run = []
    }
    for segment in segments {
      if segment.stream.sizeBytes < BackupLimits.smallSegmentBytes {
        run.append(segment)
      } else {
        try end()
        joined.append(segment)
      }
    }
    try end()
    segments = joined
  }
}
