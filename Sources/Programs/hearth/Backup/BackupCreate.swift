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
    abstract: "Make a backup of a running server or a stopped folder.",
    discussion: """
      The first backup in a repository is a full one; later ones add the changes. With --every or --follow the command \
      runs until you stop it, which is safe at any time. The repository - is standard output, for one full backup: \
      hearth backup create - | restic backup --stdin.

      Run it as the server's user. A backup contains the keys of the data folder, readable by its owner, unless you give \
      --passphrase-file or --without-keys.

      Examples:

        hearth backup create /backups/shop
        hearth backup create /backups/shop --every 1h --keep 30d
      """)

  @OptionGroup var data: DataOption

  @Argument(
    help: ArgumentHelp(
      "The folder for the backups, created if missing; - is standard output.", valueName: "repository"))
  var repository: String

  @Flag(help: "Make a full backup. Earlier backups stay valid.")
  var full = false

  @Option(help: ArgumentHelp("Make a backup now and then at this interval, such as 15m, 1h or 1d.", valueName: "time"))
  var every: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "After each backup, remove backups that are not needed to restore this time, such as 30d.", valueName: "time"))
  var keep: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Also write a continuous archive with at most this delay, such as 10s; --every sets the backup interval (1h).",
      valueName: "time"))
  var follow: DurationArgument?

  @OptionGroup var keys: BackupKeysOption

  @Flag(help: "Print JSON, for scripts: one line for each backup.")
  var json = false

  func validate() throws {
    guard repository == "-" else { return }
    guard !full, every == nil, keep == nil, follow == nil, !json else {
      throw ValidationError(
        "Standard output receives one full backup: --full, --every, --keep, --follow and --json need a folder.")
    }
    guard isatty(STDOUT_FILENO) == 0 else {
      throw ValidationError("A backup cannot be written to a terminal: redirect standard output to a file or program.")
    }
  }

  func run() throws {
    Self.lowerPriority()
    let source = try BackupSource(dataDirectory: data.path())
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
    try BackupMarker(manifest, repository: "-").write(in: source.folder)
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
      + "\(NumberFormat.grouped(Double(sizeBytes))) bytes, keys \(keysText == "none" ? "omitted" : keysText)"
  }
}
