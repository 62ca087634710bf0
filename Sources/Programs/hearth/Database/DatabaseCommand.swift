import ArgumentParser

/// The command `hearth db`.
struct DatabaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db",
    abstract: "Read, write, watch, export, import and restore data.",
    discussion: """
      A path is written as /rooms/lobby. Commands act as an administrator, so rules do not apply. With --as or \
      --as-nobody they act as a user or a signed-out client, under the rules of a running server. Commands use the \
      server that runs on the --data folder, or the server that --server names. If no server runs, they open the \
      folder themselves.
      """,
    subcommands: [
      DatabaseGet.self, DatabaseSet.self, DatabaseUpdate.self, DatabasePush.self, DatabaseRemove.self,
      DatabaseListen.self, DatabaseExport.self, DatabaseImport.self, DatabaseHistoryCommand.self, DatabaseRestore.self,
      DatabaseStats.self, DatabaseCompact.self,
    ])
}
