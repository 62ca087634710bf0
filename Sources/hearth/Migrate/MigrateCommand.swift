import ArgumentParser

/// `hearth migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Take over a database and its users from elsewhere, and say what is different.",
    subcommands: [MigrateFirebase.self])
}
