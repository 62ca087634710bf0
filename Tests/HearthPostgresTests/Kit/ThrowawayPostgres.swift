import Foundation
import Glibc
import Synchronization

/// A PostgreSQL for tests, made with Debian's programs in its own folder, with a Unix domain socket there and no port.
/// It requests syncs like a production server; the folder is in memory if possible, because these tests check written
/// data, not the speed of a disk.
///
/// One instance serves the whole test process, with separate schemas; tests that kill a server make their own.
final class ThrowawayPostgres: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The folder of the programs; nil when PostgreSQL is not installed.
  static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
    return versions.max().map { "\(root)/\($0)/bin" }
  }()

  static let isInstalled = programs != nil
  static let whyNot = "PostgreSQL is not installed: apt-get install postgresql"

  private static let common = Mutex<ThrowawayPostgres?>(nil)
  /// The running processes by folder; those still running end with the test process.
  private static let running: Mutex<[String: pid_t]> = {
    atexit {
      for (folder, process) in ThrowawayPostgres.running.withLock({ $0 }) { ThrowawayPostgres.end(folder, process) }
    }
    return Mutex([:])
  }()
  private static let schemaCount = Atomic<Int>(0)

  /// Returns the instance of the test process, which ends with it.
  static func shared() throws -> ThrowawayPostgres {
    try common.withLock { common in
      if let common { return common }
      let server = try ThrowawayPostgres()
      common = server
      return server
    }
  }

  let folder: String

  /// Makes a cluster and starts it.
  init() throws {
    folder = Self.parent + "hearth-pg-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    if geteuid() == 0 {
      guard let user = getpwnam("postgres") else { throw Failure(description: "there is no user postgres") }
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    let made = try launch(
      ["initdb", "-D", folder + "/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
      log: "initdb")
    var status: Int32 = 0
    waitpid(made, &status, 0)
    guard status == 0 else {
      throw Failure(description: try String(contentsOfFile: folder + "/initdb", encoding: .utf8))
    }
    // Written through one descriptor, so that the server's user still owns the file.
    let rules = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "/data/pg_hba.conf"))
    try rules.truncate(atOffset: 0)
    try rules.write(contentsOf: Data("local all locked scram-sha-256\nlocal all all trust\n".utf8))
    try rules.close()
    try start()
  }

  deinit {
    let process = Self.running.withLock { $0.removeValue(forKey: folder) }
    Self.end(folder, process ?? 0)
  }

  /// The parent folder: in memory if a cluster and its log fit twice, because memory file systems are often small in
  /// containers.
  private static var parent: String {
    let memory = "/dev/shm"
    var space = statvfs()
    guard access(memory, W_OK) == 0, statvfs(memory, &space) == 0, UInt(space.f_bavail) * space.f_frsize > 1 << 30
    else {
      return NSTemporaryDirectory()
    }
    return memory + "/"
  }

  /// Starts the server, and waits until it accepts connections.
  func start() throws {
    // After a kill, remaining processes may need a moment to release shared memory.
    var problem = "it was not started"
    for _ in 0..<50 {
      do { return try startOnce() } catch { problem = "\(error)" }
      usleep(100_000)
    }
    throw Failure(description: problem)
  }

  private func startOnce() throws {
    let identifier = try launch(
      [
        "postgres", "-D", folder + "/data", "-k", folder, "-c", "listen_addresses=", "-c", "shared_buffers=32MB", "-c",
        "fsync=on",
        "-c", "max_connections=60", "-c", "autovacuum=off", "-c", "recovery_init_sync_method=syncfs", "-c",
        "max_wal_size=128MB",
      ], log: "log")
    Self.running.withLock { $0[folder] = identifier }
    let deadline = ContinuousClock.now + .seconds(60)
    while (try? Psql(url).run("SELECT 1")) == nil {
      guard ContinuousClock.now < deadline, waitpid(identifier, nil, WNOHANG) == 0 else {
        Self.running.withLock { $0[folder] = 0 }
        throw Failure(description: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no log")
      }
      usleep(20_000)
    }
  }

  /// Kills the server, as a power failure would: no further write happens.
  func kill() {
    let identifier = Self.running.withLock { running in
      defer { running[folder] = 0 }
      return running[folder]
    }
    Self.kill(identifier ?? 0)
    unlink(folder + "/data/postmaster.pid")
  }

  private static func kill(_ identifier: pid_t) {
    guard identifier > 0 else { return }
    // No process may continue to write; while stopped, the server starts no new ones.
    _ = Glibc.kill(identifier, SIGSTOP)
    for child in children(of: identifier) { _ = Glibc.kill(child, SIGKILL) }
    _ = Glibc.kill(identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  private static func children(of identifier: pid_t) -> [pid_t] {
    let path = "/proc/\(identifier)/task/\(identifier)/children"
    return ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: " ").compactMap { pid_t($0) }
  }

  private static func end(_ folder: String, _ process: pid_t) {
    kill(process)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The URL of its database.
  var url: String { "postgres://postgres@/postgres?host=\(folder)" }

  /// The path of its socket.
  var socketPath: String { folder + "/.s.PGSQL.5432" }

  /// Returns the name of a new schema.
  static func newSchema() -> String { "t\(schemaCount.add(1, ordering: .relaxed).newValue)_\(getpid())" }

  /// Runs a program as a user other than the superuser, which PostgreSQL refuses; in its own process group.
  private func launch(_ command: [String], log: String) throws -> pid_t {
    guard let programs = Self.programs else { throw Failure(description: Self.whyNot) }
    let user = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    let words = user + [programs + "/" + command[0]] + command.dropFirst()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, folder + "/" + log, O_WRONLY | O_CREAT | O_APPEND, 0o666)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), strdup("LC_ALL=C.UTF-8"), nil]
    defer { for entry in environment { free(entry) } }
    var identifier: pid_t = 0
    let problem = posix_spawn(&identifier, words[0], &actions, &attributes, &arguments, &environment)
    guard problem == 0 else {
      throw Failure(description: "cannot start \(words[0]): \(String(cString: strerror(problem)))")
    }
    return identifier
  }
}
