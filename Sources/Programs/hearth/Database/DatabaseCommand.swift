import ArgumentParser

/// The command `hearth db`.
struct DatabaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db",
    abstract: "Read, write, watch, export, import and restore data.",
    discussion: """
      A path is written as /rooms/lobby. Commands act as an administrator, to whom rules do not apply; --as and --as-nobody \
      act as somebody else and show what a running server's rules allow. They use the server that runs on the --data \
      folder, or the one that --server names; when none runs they open the folder themselves.
      """,
    subcommands: [
      DatabaseGet.self, DatabaseSet.self, DatabaseUpdate.self, DatabasePush.self, DatabaseRemove.self,
      DatabaseListen.self, DatabaseExport.self, DatabaseImport.self, DatabaseHistoryCommand.self, DatabaseRestore.self,
    ])
}
