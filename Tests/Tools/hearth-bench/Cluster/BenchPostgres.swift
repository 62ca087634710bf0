import Glibc
import HearthProgram

/// A private PostgreSQL, run from Debian's programs with sockets in its folder and without a port. It may have
/// standbys, one of which each commit waits for.
final class BenchPostgres {
  /// One server of the cluster: the primary or a standby.
  private struct Member {
    var folder: String
    /// A shell that ends the server when this process ends for any reason.
    var process: pid_t
    var lifeline: Int32
  }

  private let folder: String
  private var members: [Member] = []

  /// The folder of Debian's newest PostgreSQL programs; nil when none are installed.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = Folder.names(in: root).compactMap { Int($0) }
    return versions.max().map { "\(root)/\($0)/bin" }
  }()

  /// Creates and starts the servers, which takes some seconds.
  ///
  /// - Parameters:
  ///   - standbys: The number of standbys.
  ///   - parent: The parent of the data folder, on the disk whose syncs are to be measured.
  init(standbys: Int, in parent: String) throws {
    folder = try Folder.makeTemporary(in: parent, named: "hearth-bench")
    do {
      // PostgreSQL refuses to run as root.
      if geteuid() == 0 {
        guard let user = getpwnam("postgres") else {
          throw BenchServer.Failure(description: "there is no user postgres")
        }
        chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
      }
      let primary = folder + "/s1"
      try run(
        "initdb", "-D", primary, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
      let names = (0..<standbys).map { "s\($0 + 2)" }
      // Commits must not wait for standbys before any exist.
      try start("s1")
      for name in names {
        try run(
          "pg_basebackup", "-D", folder + "/" + name, "-R", "-X", "stream", "-c", "fast", "-d",
          "host=\(socketFolder("s1")) user=postgres application_name=\(name)")
        try start(name)
      }
      if !names.isEmpty {
        try sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (\(names.joined(separator: ",")))'")
        try sql("SELECT pg_reload_conf()")
      }
    } catch {
      stop()
      throw error
    }
  }

  /// The shell processes of all servers.
  var processes: [pid_t] { members.map(\.process) }

  /// Creates a database.
  ///
  /// - Returns: Its URL, for servers.
  func makeDatabase(_ name: String) throws -> String {
    try sql("CREATE DATABASE \(name)")
    return "postgres://postgres@/\(name)?host=\(socketFolder("s1"))"
  }

  /// Stops the servers and removes their folder.
  func stop() {
    for member in members {
      close(member.lifeline)
      var status: Int32 = 0
      waitpid(member.process, &status, 0)
    }
    members = []
    Folder.remove(folder)
  }

  private func socketFolder(_ name: String) -> String { folder + "/" + name + ".socket" }

  private func start(_ name: String) throws {
    let sockets = socketFolder(name)
    try run(nil, "/bin/mkdir", sockets)
    let data = folder + "/" + name
    let input = try BenchServer.makePipe()
    // The shell reads until this process ends or closes the pipe.
    let script = #""$@" & read line; kill -INT $!; wait"#
    let process = try ChildProcess.spawn(
      "/bin/sh",
      ["-c", script, "sh"] + Self.user + [
        try Self.program("postgres"), "-D", data, "-k", sockets, "-c", "listen_addresses=", "-c",
        "shared_buffers=128MB", "-c", "max_connections=100", "-c", "max_wal_size=2GB",
      ], input: input.read, cpu: nil)
    close(input.read)
    members.append(Member(folder: data, process: process, lifeline: input.write))
    for _ in 0..<600 {
      if (try? ask(name, "SELECT 1")) != nil { return }
      usleep(50_000)
    }
    throw BenchServer.Failure(description: "PostgreSQL does not answer in \(data)")
  }

  private func sql(_ text: String) throws { try ask("s1", text) }

  private func ask(_ name: String, _ text: String) throws {
    try run("psql", "-h", socketFolder(name), "-U", "postgres", "-d", "postgres", "-AtXqc", text)
  }

  private func run(_ name: String?, _ words: String...) throws {
    let command = Self.user + (try name.map { [try Self.program($0)] } ?? []) + words
    guard try ChildProcess.run(command[0], Array(command.dropFirst())) else {
      // The usual reason, because the program prints none here.
      let hint = geteuid() == 0 ? "; the user postgres has to reach \(folder)" : ""
      throw BenchServer.Failure(description: "\(name ?? words[0]) failed\(hint)")
    }
  }

  private static func program(_ name: String) throws -> String {
    guard let programs else {
      throw BenchServer.Failure(description: "PostgreSQL is not installed: apt-get install postgresql")
    }
    return programs + "/" + name
  }

  private static var user: [String] {
    geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
  }
}
