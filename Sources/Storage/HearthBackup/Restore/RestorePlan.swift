import HearthEngine
import HearthJournal
import HearthTree

/// The backups that a state is restored from, and the limits up to which their logs are applied.
struct RestorePlan {
  /// The end of a database's log in the restored state.
  enum Limit: Equatable {
    /// The end of the available log.
    case end
    /// The position before the first commit that was decided after the given time.
    case time(Int64)
    /// The position of the last commit to restore.
    case position(Int64)
  }

  struct Part {
    var name: String
    var base: Manifest.Base?
    /// The log segments in order. Duplicate batches are applied once.
    var segments: [Manifest.Segment]
    /// The position up to which every batch is applied, because the backup before the restore point contains it.
    var certainPosition: Int64
    /// The running hash at ``certainPosition``; nil when that is not the last position.
    var hash: RunningHash?
    var epoch: Int64
    var limit: Limit
  }

  /// The backup that supplies the files: the last one at or before the restore point.
  var manifest: Manifest
  var parts: [Part]

  /// - Throws: `.notCovered` when the restore point is neither in a backup nor between two backups.
  static func plan(_ repository: BackupRepository, at moment: RestorePoint) throws -> RestorePlan {
    let manifests = try repository.manifests().whole
    guard let newest = manifests.last else {
      throw BackupError(.notCovered, "there is no complete backup", path: repository.path)
    }
    switch moment {
    case .latest: return all(of: newest)
    case .time(let time): return try plan(manifests, newest, at: time)
    case .position(let name, let position): return try plan(repository, manifests, name, position)
    }
  }

  /// Returns the plan for the whole content of one backup.
  private static func all(of manifest: Manifest) -> RestorePlan {
    RestorePlan(manifest: manifest, parts: manifest.databases.map { Part($0, limit: .end) })
  }

  private static func plan(_ manifests: [Manifest], _ newest: Manifest, at time: Int64) throws -> RestorePlan {
    guard let before = manifests.last(where: { $0.instantMilliseconds <= time }) else {
      throw BackupError(
        .notCovered,
        "the first backup is from \(Timestamp.text(milliseconds: manifests[0].instantMilliseconds)), after that time")
    }
    if before.instantMilliseconds == time { return all(of: before) }
    guard let after = manifests.first(where: { $0.instantMilliseconds > time }) else {
      throw BackupError(
        .notCovered,
        "the newest backup is from \(Timestamp.text(milliseconds: newest.instantMilliseconds)), before that; "
          + "restore it with --at latest")
    }
    return try plan(before, after, until: time)
  }

  /// Returns the plan for the first of two consecutive backups, continued up to a time with the log in the second.
  private static func plan(_ before: Manifest, _ after: Manifest, until time: Int64) throws -> RestorePlan {
    var parts = try before.databases.map { try part($0, after, until: time, before) }
    for database in after.databases where before.database(database.name) == nil {
      // Of a database that was created between the two backups, the log must be complete from its beginning; otherwise
      // its state at that time is unknown.
      guard database.segments.first?.first ?? 1 == 1, database.segments.isEmpty == (database.position == 0) else {
        throw gap(database.name, before, after)
      }
      var part = Part(database, limit: .time(time))
      (part.base, part.certainPosition, part.hash) = (nil, 0, nil)
      parts.append(part)
    }
    return RestorePlan(manifest: before, parts: parts)
  }

  /// Returns the plan for a database between two backups.
  private static func part(
    _ database: Manifest.Database, _ after: Manifest, until time: Int64, _ before: Manifest
  ) throws -> Part {
    var part = Part(database, limit: .time(time))
    // A database that was deleted before the next backup is restored as of the previous one.
    guard let later = after.database(database.name) else { return part }
    if later.position == database.position, later.runningHash == database.runningHash { return part }
    guard later.position > database.position, let first = later.segments.first?.first, first - 1 <= database.position
    else { throw gap(database.name, before, after) }
    part.segments += later.segments.filter { $0.last > database.position }
    part.epoch = max(part.epoch, later.epoch)
    return part
  }

  private static func gap(_ name: String, _ before: Manifest, _ after: Manifest) -> BackupError {
    BackupError(
      .notCovered,
      "the log of \(name) between the backups of \(Timestamp.text(milliseconds: before.instantMilliseconds)) and "
        + "\(Timestamp.text(milliseconds: after.instantMilliseconds)) was not kept: a snapshot replaced it "
        + "before the second. Restore at one of these two times. Back up more often, or use --follow, to keep the log complete"
    )
  }

  private static func plan(
    _ repository: BackupRepository, _ manifests: [Manifest], _ name: String, _ position: Int64
  ) throws -> RestorePlan {
    let index = manifests.firstIndex { $0.database(name).map { $0.position >= position } ?? false }
    guard let index, let database = manifests[index].database(name), position >= 0 else {
      let last = manifests.last?.database(name)?.position
      throw BackupError(
        .notCovered,
        last.map { "the newest backup contains \(name) up to position \($0)" }
          ?? "the backups contain no database \(name.printable)")
    }
    if database.position == position { return all(of: manifests[index]) }
    let former = index > 0 ? manifests[index - 1] : nil
    guard let former, let time = try time(of: position, in: database, after: former, repository) else {
      throw BackupError(
        .notCovered,
        "no backup contains the log of \(name) around position \(position): the backup of "
          + "\(Timestamp.text(milliseconds: manifests[index].instantMilliseconds)) has position \(database.position)")
    }
    var plan = try plan(former, manifests[index], until: time)
    guard let part = plan.parts.firstIndex(where: { $0.name == name }) else { return plan }
    plan.parts[part].limit = .position(position)
    return plan
  }

  /// Returns the decision time of a commit, for a record without a time, this is the time of the record before it,
  /// which may be in the previous backup; nil when none of the segments contains it.
  private static func time(
    of position: Int64, in database: Manifest.Database, after former: Manifest, _ repository: BackupRepository
  ) throws -> Int64? {
    guard let last = database.segments.firstIndex(where: { $0.first <= position && position <= $0.last }) else {
      return nil
    }
    var time: Int64?
    for segment in database.segments[...last].reversed() where time == nil {
      try repository.links(of: segment) { link in
        guard link.batch.firstPosition <= position else { return false }
        let marks = try CommitRecord.marks(of: link.batch.payload)
        let count = Int(clamping: position - link.batch.firstPosition + 1)
        time = marks.prefix(count).last?.wallMilliseconds ?? time
        return link.batch.lastPosition < position
      }
    }
    return time ?? former.instantMilliseconds
  }
}

extension RestorePlan.Part {
  /// Creates the plan of a database from one backup.
  fileprivate init(_ database: Manifest.Database, limit: RestorePlan.Limit) {
    self.init(
      name: database.name, base: database.base, segments: database.segments, certainPosition: database.position,
      hash: database.runningHash, epoch: database.epoch, limit: limit)
  }
}
