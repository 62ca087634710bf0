import ArgumentParser
import HearthServer

/// The command `hearth migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract:
      "Take over a database and its users from elsewhere, or move databases into a \(JournalEngines.products) and back.",
    subcommands: [MigrateFirebase.self, MigrateFolder.self])
}
