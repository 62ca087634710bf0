import ArgumentParser
import HearthBackup
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up a data folder while its server runs or is stopped, and manage backups.",
    discussion: """
      A backup contains all databases, the accounts, keys and settings as of one instant. REPOSITORY is a folder for \
      backups only; the guide "Backup and restore" describes its files. `hearth restore` makes a data folder from it.
      """,
    subcommands: [BackupCreate.self, BackupList.self, BackupVerify.self, BackupPrune.self])
}

/// The argument for the folder of backups.
struct RepositoryArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The folder with the backups.", valueName: "repository"))
  var repository: String

  @Flag(help: "Print JSON, for scripts.")
  var json = false
}

extension BackupSource {
  /// Creates a data folder.
  ///
  /// - Throws: when the path is none.
  init(dataDirectory: String) throws {
    try self.init(dataDirectory: dataDirectory, journalLocation: FolderSettings.read(in: dataDirectory).journalLocation)
    guard try !journals().isEmpty else {
      throw ValidationError("\(dataDirectory) has no databases and no accounts: name a server's folder with --data.")
    }
  }
}

extension Manifest {
  /// The backup in JSON, for scripts.
  var outputJSON: JSON {
    [
      "backup": .string(id), "kind": .string(kind.rawValue),
      "instant": .string(Timestamp.text(milliseconds: instantMilliseconds)), "keys": .string(keysText),
      "sizeBytes": .int(Int64(sizeBytes)),
      "databases": .array(
        databases.map { database in
          [
            "name": .string(database.name), "position": .int(database.position),
            "runningHash": .string(database.runningHash.description),
          ]
        }),
    ]
  }
}
