import ArgumentParser
import HearthServer

/// The command `hearth migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract:
      "Import a Firebase project, or move databases into a \(JournalEngines.products) and back.",
    subcommands: [MigrateFirebase.self, MigrateFolder.self])
}
