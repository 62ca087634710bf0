import Glibc
import HearthBackup
import HearthSystem
import HearthTree
import Synchronization

/// The backups of the server's data folder for the console: the newest ones, and one that is made now.
///
/// A backup goes to the destination of the last `hearth backup create`, and treats keys as that command did: only a user
/// with a shell chooses the destination; the browser only starts the backup.
final class ConsoleBackups: Sendable {
  /// The maximum number of backups in a response, the newest.
  static let countMax = 20

  /// The backup that is being made.
  private struct Running {
    var since: Int64
    var step: Backup.Step?
  }

  private struct Ended {
    var at: Int64
    var backup: String?
    var problem: String?
  }

  private struct State {
    var running: Running?
    var ended: Ended?
  }

  private let dataDirectory: String
  private let source: @Sendable () throws -> BackupSource
  private let state = Mutex(State())

  /// - Parameter source: opens the data folder for copying.
  init(dataDirectory: String, source: @escaping @Sendable () throws -> BackupSource) {
    (self.dataDirectory, self.source) = (dataDirectory, source)
  }

  // MARK: Reading

  /// `{"place", "reason", "running": {"since", "done", "count", "name"}, "ended": {"at", "backup", "problem"},
  /// "backups": [{"backup", "kind", "instant", "keys", "sizeBytes", "databases"}]}`: `reason` is the reason why none
  /// can be made from here.
  ///
  /// Reads files: not for event loops.
  var json: JSON {
    let marker = BackupMarker.read(in: dataDirectory)
    let (running, ended) = state.withLock { ($0.running, $0.ended) }
    var reason: String?
    do throws(ConsoleFailure) { _ = try Self.target(marker) } catch { reason = error.text }
    var backups: [JSON] = []
    if let marker, marker.repository != "-" {
      do throws(BackupError) {
        let newest = try BackupRepository(path: marker.repository, for: .reading).newestManifests(Self.countMax)
        backups = newest.map(Self.json)
      } catch {
        reason = reason ?? "The backups cannot be read: \(error)"
      }
    }
    return [
      "place": marker.map { .string($0.repository) } ?? .null,
      "reason": reason.map { .string($0) } ?? .null,
      "running": running.map(Self.json) ?? .null,
      "ended": ended.map { ended in
        [
          "at": .int(ended.at), "backup": ended.backup.map { .string($0) } ?? .null,
          "problem": ended.problem.map { .string($0) } ?? .null,
        ]
      } ?? .null, "backups": .array(backups),
    ]
  }

  private static func json(_ running: Running) -> JSON {
    [
      "since": .int(running.since), "done": .int(Int64(running.step?.doneCount ?? 0)),
      "count": running.step.map { .int(Int64($0.count)) } ?? .null,
      "name": running.step.map { .string($0.name) } ?? .null,
    ]
  }

  private static func json(_ manifest: Manifest) -> JSON {
    [
      "backup": .string(manifest.id), "kind": .string(manifest.kind.rawValue),
      "instant": .int(manifest.instantMilliseconds), "keys": .string(manifest.keysText),
      "sizeBytes": .int(Int64(manifest.sizeBytes)),
      "databases": .int(Int64(manifest.databases.count { $0.name != "accounts" })),
    ]
  }

  // MARK: Making a backup

  /// Returns the destination of the next backup, and the treatment of keys in it.
  private static func target(_ marker: BackupMarker?) throws(ConsoleFailure) -> (String, SecretsOption) {
    guard let marker else {
      throw ConsoleFailure(
        .conflict,
        "There is no backup yet. Create the first with hearth backup create FOLDER, which sets the folder."
      )
    }
    guard marker.repository.hasPrefix("/") else {
      throw ConsoleFailure(
        .conflict, "The last backup was written to a stream. Set a folder with hearth backup create FOLDER.")
    }
    switch marker.keys {
    case "none": return (marker.repository, .leftOut)
    case "clear": return (marker.repository, .clear)
    default:
      throw ConsoleFailure(
        .conflict,
        "The server does not know the passphrase of these backups. Create the next one with hearth backup create."
      )
    }
  }

  /// Starts a backup.
  ///
  /// - Parameter ended: called with the outcome, in a few words.
  /// - Throws: the reason why no backup can be made.
  func start(_ ended: @escaping @Sendable (String) async -> Void) throws(ConsoleFailure) {
    let (repository, secrets) = try Self.target(BackupMarker.read(in: dataDirectory))
    let begins = state.withLock { state in
      guard state.running == nil else { return false }
      state.running = Running(since: Clock.wallMilliseconds)
      return true
    }
    guard begins else { throw ConsoleFailure(.conflict, "A backup is in progress.") }
    Task.detached(priority: .utility) { [self] in
      let made = await BlockingThread.run { Result { try self.make(into: repository, secrets) } }
      let text = state.withLock { state in
        state.running = nil
        switch made {
        case .success(let id):
          state.ended = Ended(at: Clock.wallMilliseconds, backup: id)
          return "the backup \(id) is complete"
        case .failure(let error):
          state.ended = Ended(at: Clock.wallMilliseconds, problem: "\(error)")
          return "the backup failed: \(error)"
        }
      }
      await ended(text)
    }
  }

  private func make(into path: String, _ secrets: SecretsOption) throws -> String {
    // An unmounted disk must not become a new repository.
    _ = try BackupRepository(path: path, for: .reading)
    // The priority of this thread is lowered, as the command does, so that clients come first.
    let before = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    defer { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, before) }
    let backup = Backup(try source(), into: try BackupRepository(path: path, for: .adding))
    backup.onStep = { [self] step in state.withLock { $0.running?.step = step } }
    let manifest = try backup.make(Backup.Options(secrets: secrets))
    try BackupMarker(manifest, repository: path).write(in: dataDirectory)
    return manifest.id
  }
}
