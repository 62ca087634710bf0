import ArgumentParser
import Glibc
import HearthBackup
import HearthCrypto
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth restore`.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make a data folder from backups, as of a given time.",
    discussion: """
      --into is a new or empty folder. It appears when it is complete, durable and verified. A time is in UTC, such as \
      2026-11-20T14:03:00Z: the folder contains every commit up to then. A number is a position of --database: that \
      commit is the last one of the database, and the others are as of its time. REPOSITORY - reads the output of \
      `hearth backup create -` from standard input, and stores a copy of it beside --into meanwhile.
      """)

  @Argument(help: ArgumentHelp("The folder with the backups; - is standard input.", valueName: "repository"))
  var repository: String

  @Option(help: ArgumentHelp("The time to restore: latest, a UTC time, or a position.", valueName: "moment"))
  var at = "latest"

  @Option(help: ArgumentHelp("The database of a position; accounts means the accounts.", valueName: "name"))
  var database = "default"

  @Option(help: ArgumentHelp("The data folder to make.", valueName: "dir"))
  var into: String

  @OptionGroup var keys: BackupKeysOption

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  func run() throws {
    let moment = try moment()
    let seal = try keys.seal()
    try Restore.requireEmpty(into)
    let outcome: Restore.Outcome
    if repository == "-" {
      let copy = Restore.workPath(for: into) + "-stream"
      defer { Folder.remove(copy) }
      guard access(copy, F_OK) != 0 else { throw AdminFailure("\(copy) already exists: remove it and try again") }
      _ = try BackupStream.receive(into: BackupRepository(path: copy, for: .adding), Self.read)
      outcome = try restore(copy, moment, seal)
    } else {
      outcome = try restore(repository, moment, seal)
    }
    // After a restore the databases are in the folder, wherever they were.
    var settings = FolderSettings.read(in: into)
    if settings.journal != nil {
      settings.journal = nil
      try settings.write(in: into)
    }
    report(outcome)
  }

  private func restore(_ path: String, _ moment: RestorePoint, _ seal: PassphraseSeal?) throws -> Restore.Outcome {
    try Restore(BackupRepository(path: path, for: .reading), archives: { ServerJournals.archive(in: $0) }, seal: seal)
      .run(moment, into: into, leavesOutKeys: keys.withoutKeys)
  }

  private func moment() throws -> RestorePoint {
    if at == "latest" { return .latest }
    if let position = Int64(at), position >= 0 {
      return .position(database == "accounts" ? database : "databases/" + database, position)
    }
    guard let milliseconds = UTCInstant.milliseconds(at) else {
      throw ValidationError(
        "--at must be latest, a time such as 2026-11-20T14:03:00Z, or a position, not \(at.printable).")
    }
    return .time(milliseconds)
  }

  /// Returns the next bytes of standard input.
  private static func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(1, count))
    while true {
      let got = Glibc.read(STDIN_FILENO, &bytes, count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw TextFile.Failure("read", "standard input") }
      return Array(bytes[..<got])
    }
  }

  private func report(_ outcome: Restore.Outcome) {
    if json {
      return Output.json(
        [
          "backup": .string(outcome.backup.id), "into": .string(into),
          "hasKeys": .bool(outcome.hasKeys),
          "databases": .array(
            outcome.databases.map { database in
              [
                "name": .string(database.name), "position": .int(database.position),
                "runningHash": .string(database.runningHash.description),
              ]
            }),
        ])
    }
    for database in outcome.databases {
      Output.line("\(database.name): position \(database.position), running hash \(database.runningHash)")
    }
    Output.line("\(into) is restored from \(outcome.backup.id); start it with: hearth serve --data \(into)")
    if !outcome.hasKeys {
      Output.note(
        "The backup has no keys: copy keys/ into the folder, or the server makes new keys, and what the old ones "
          + "signed or sealed becomes invalid: sessions, second factors, imported passwords.")
    }
  }
}
