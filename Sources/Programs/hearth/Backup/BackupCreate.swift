import ArgumentParser
import Glibc
import HearthBackup
import HearthProgram
import HearthTransport
import HearthTree

/// The command `hearth backup create`.
struct BackupCreate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Make a backup: of a server that runs, while it goes on, or of a stopped folder.",
    discussion: """
      The first backup in a folder is a full one; later ones add what is new. With --every or --follow the command goes \
      on until it is ended, and may be ended at any moment. REPOSITORY - writes one whole backup to standard output, for \
      restic, rclone, age and others: hearth backup create - | restic backup --stdin.

      Run it as the server's user. Keys are in the backup as they are in the data folder, for the owner of its files alone, \
      unless --passphrase-file or --without-keys says otherwise.
      """)

  @OptionGroup var data: DataOption

  @Argument(
    help: ArgumentHelp(
      "The folder for the backups, made when it is missing; - is standard output.", valueName: "repository"))
  var repository: String

  @Flag(help: "Read and keep everything anew; what is there already still counts.")
  var full = false

  @Option(help: ArgumentHelp("Make a backup now and then one in every such time: 15m, 1h, 1d.", valueName: "time"))
  var every: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "After each backup, remove those that are older, and that no moment since needs: 30d.", valueName: "time"))
  var keep: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Also keep an archive that is behind by so much at most: 10s. A backup of its own comes with --every (default: 1h).",
      valueName: "time"))
  var follow: DurationArgument?

  @OptionGroup var keys: BackupKeysOption

  @Flag(help: "Answer in JSON, for scripts: a line for each backup.")
  var json = false

  func validate() throws {
    guard repository == "-" else { return }
    guard !full, every == nil, keep == nil, follow == nil, !json else {
      throw ValidationError(
        "A stream is one whole backup: --full, --every, --keep, --follow and --json go with a folder.")
    }
    guard isatty(STDOUT_FILENO) == 0 else {
      throw ValidationError("A backup is nothing for a terminal: name a file or program.")
    }
  }

  func run() throws {
    Self.lowerPriority()
    let source = try BackupSource(dataDirectory: data.data)
    var options = Backup.Options(secrets: try secrets())
    options.isFull = full
    if repository == "-" { return try stream(source, options) }
    try RepeatedBackups(
      source: source, repository: TextFile.absolute(repository), options: options, every: every, keep: keep,
      follow: follow, printsJSON: json
    ).run()
  }

  private func secrets() throws -> SecretsOption {
    if keys.withoutKeys { return .leftOut }
    return try keys.seal().map { .sealed($0) } ?? .clear
  }

  private func stream(_ source: BackupSource, _ options: Backup.Options) throws {
    let writer = BackupStreamWriter { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw TextFile.Failure("write to", "standard output") }
        rest = rest.dropFirst(count)
      }
    }
    let manifest = try Backup(source, into: writer).make(options)
    try BackupMarker(manifest, repository: "-").write(in: data.data)
    Output.note("hearth: backup \(manifest.id), \(manifest.summary)")
  }

  /// Lowers the priority below the server's, and raises the limit of open files, because every journal is open at once
  /// for a moment.
  private static func lowerPriority() {
    _ = nice(10)
    OpenFiles.raiseLimit()
  }
}

extension Manifest {
  /// The description of a backup in a few words.
  var summary: String {
    let count = databases.count { $0.name != "accounts" }
    return
      "\(kind.rawValue), as of \(Timestamp.text(milliseconds: instantMilliseconds)): \(NumberFormat.counted(count, "database")), "
      + "\(NumberFormat.grouped(Double(sizeBytes))) bytes, keys \(keysText == "none" ? "left out" : keysText)"
  }
}
