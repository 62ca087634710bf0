import HearthEngine
import HearthJournal

/// The restore of one journal from backups.
struct JournalRestore {
  let repository: BackupRepository
  let part: RestorePlan.Part

  /// - Parameter made: Creates the journal; called when there is content for it.
  /// - Returns: The journal's head; nil when it did not exist at the restored time.
  /// - Throws: `BackupError`, `JournalError`, `RecordError`.
  func run(_ made: () throws -> any JournalRestoration) throws -> JournalHead? {
    var journal: (any JournalRestoration)?
    func target() throws -> any JournalRestoration {
      if let journal { return journal }
      let new = try made()
      journal = new
      return new
    }
    var (position, hash): (Int64, RunningHash) = (0, .empty)
    if let base = part.base {
      let journal = try target()
      try journal.begin(at: base.position, runningHash: base.runningHash)
      try repository.read(base.stream) { piece in
        try journal.append(chunk: piece)
        return true
      }
      (position, hash) = (base.position, base.runningHash)
    } else if part.hash != nil {
      _ = try target()
    }
    var isCut = false
    for segment in part.segments where segment.last > position && !isCut {
      try repository.links(of: segment) { link in
        guard link.batch.lastPosition > position else { return true }
        guard link.follows(position, hash) else {
          throw BackupError(
            .damaged,
            "\(part.name): the batch of position \(link.batch.firstPosition) does not follow position \(position)")
        }
        guard let taken = try cut(link, hash) else {
          isCut = true
          return false
        }
        try target().append(taken)
        (position, hash) = (taken.batch.lastPosition, taken.runningHash)
        if position == part.certainPosition, let wanted = part.hash, wanted != hash {
          throw BackupError(
            .damaged, "\(part.name): the running hash at position \(position) is not the one of the backup")
        }
        isCut = taken != link
        return !isCut
      }
    }
    guard position >= min(part.certainPosition, limitPosition) else {
      throw BackupError(
        .damaged, "\(part.name): the log ends at position \(position) instead of \(part.certainPosition)")
    }
    return try journal?.complete(epoch: part.epoch)
  }

  private var limitPosition: Int64 { if case .position(let position) = part.limit { position } else { .max } }

  /// Returns the part of a batch up to the limit; nil when it is empty.
  private func cut(_ link: JournalLink, _ hash: RunningHash) throws -> JournalLink? {
    let marks: [CommitRecord.Mark]
    var count: Int
    switch part.limit {
    case .end: return link
    case .position(let position):
      guard link.batch.lastPosition > position else { return link }
      guard link.batch.firstPosition <= position else { return nil }
      marks = try CommitRecord.marks(of: link.batch.payload)
      count = Int(position - link.batch.firstPosition + 1)
    case .time(let time):
      guard link.batch.lastPosition > part.certainPosition else { return link }
      marks = try CommitRecord.marks(of: link.batch.payload)
      count = marks.firstIndex { $0.wallMilliseconds.map { $0 > time } ?? false } ?? marks.count
    }
    guard Int64(marks.count) == link.batch.lastPosition - link.batch.firstPosition + 1 else {
      throw BackupError(
        .damaged, "\(part.name): the batch of position \(link.batch.firstPosition) has \(marks.count) records")
    }
    if count == marks.count { return link }
    guard count > 0 else { return nil }
    var batch = link.batch
    batch.lastPosition = batch.firstPosition + Int64(count) - 1
    batch.payload = Array(batch.payload[..<marks[count - 1].end])
    return JournalLink(batch: batch, epoch: link.epoch, runningHash: hash.appending(batch, epoch: link.epoch))
  }
}
