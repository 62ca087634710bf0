import Glibc
import HearthBackup
import HearthProgram
import HearthTree

/// The backups into a folder: a single one, or repeated ones during the process.
struct RepeatedBackups {
  let source: BackupSource
  /// The repository as an absolute path.
  let repository: String
  let options: Backup.Options
  let every: DurationArgument?
  let keep: DurationArgument?
  let follow: DurationArgument?
  let printsJSON: Bool

  /// The maximum time in seconds before a failed backup is repeated.
  private static let retrySecondsMax: Int64 = 60
  /// The time in seconds after which the record in the data folder is renewed when there is nothing to add.
  private static let markerIntervalSeconds: Int64 = 60
  private static let intervalSecondsDefault: Int64 = 3_600

  /// Makes the backups.
  ///
  /// - Throws: the failure of the first backup, also when backups are repeated.
  func run() throws {
    var session: Backup? = try open()
    try makeScheduledBackup(&session)
    guard every != nil || follow != nil else { return }
    let interval = (every?.seconds ?? Self.intervalSecondsDefault) * 1_000
    let pollInterval = follow.map { max(250, $0.milliseconds / 2) } ?? interval
    var due = WallClock.nowMilliseconds + interval
    var markerWrittenAt = WallClock.nowMilliseconds
    var wait = pollInterval
    while true {
      Self.sleep(milliseconds: min(wait, max(1, due - WallClock.nowMilliseconds)))
      wait = pollInterval
      let now = WallClock.nowMilliseconds
      do {
        if now >= due {
          due = max(due + interval, now)
          try makeScheduledBackup(&session)
          markerWrittenAt = now
        } else if follow != nil {
          try extendArchive(&session, &markerWrittenAt)
        }
      } catch {
        session = nil
        Output.note("hearth: the backup failed and will be retried: \(error)")
        wait = min(pollInterval, Self.retrySecondsMax * 1_000)
        // A failed backup is repeated, and not skipped.
        if now >= due - interval, follow == nil { due = now + wait }
      }
    }
  }

  /// Makes a permanent backup, and removes old ones.
  private func makeScheduledBackup(_ session: inout Backup?) throws {
    try make(&session, options)
    // A removal takes the lock that a session holds.
    session = nil
    guard keep != nil || follow != nil else { return }
    let limit = keep.map { WallClock.nowMilliseconds - $0.milliseconds }
    try prune(before: limit)
  }

  /// Makes a backup. Afterwards only the session may hold the repository.
  private func make(_ session: inout Backup?, _ options: Backup.Options) throws {
    let backup = try session ?? open()
    session = backup
    let manifest = try backup.make(options)
    try finish(manifest, isQuiet: options.isContinuous)
  }

  private func prune(before limit: Int64?) throws {
    do throws(BackupError) {
      let outcome = try Retention(BackupRepository(path: repository, for: .removing)).prune(before: limit)
      guard !outcome.removed.isEmpty else { return }
      let (removed, kept) = (outcome.removed.count, outcome.keptCount)
      Output.note(
        "hearth: removed \(NumberFormat.counted(removed, "old backup")), kept \(NumberFormat.counted(kept, "backup"))")
    } catch {
      guard error.code == .busy else { throw error }
      Output.note("hearth: old backups stay for now: \(error)")
    }
  }

  /// Adds the missing commits to the continuous archive.
  private func extendArchive(_ session: inout Backup?, _ markerWrittenAt: inout Int64) throws {
    if session == nil { session = try open() }
    let now = WallClock.nowMilliseconds
    if try session?.isCurrent() == true {
      guard now - markerWrittenAt >= Self.markerIntervalSeconds * 1_000 else { return }
    }
    var options = options
    (options.isFull, options.isContinuous) = (false, true)
    try make(&session, options)
    markerWrittenAt = now
  }

  private func open() throws -> Backup { Backup(source, into: try BackupRepository(path: repository, for: .adding)) }

  private func finish(_ manifest: Manifest, isQuiet: Bool) throws {
    do throws(BackupError) { try BackupMarker(manifest, repository: repository).write(in: source.folder) } catch {
      Output.note("hearth: \(error)")
    }
    guard !isQuiet else { return }
    if printsJSON {
      Output.json(manifest.outputJSON)
    } else {
      Output.line("backup \(manifest.id): \(manifest.summary)")
    }
  }

  private static func sleep(milliseconds: Int64) {
    var left = timespec(tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
    var rest = timespec()
    while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
  }
}
