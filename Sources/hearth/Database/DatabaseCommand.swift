import ArgumentParser

struct DatabaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db",
    abstract: "Read, write, follow, export and import data.",
    discussion: """
      A path is written as /rooms/lobby. Commands act as an administrator, whom rules do not bind; --as and --as-nobody \
      try what a running server's rules say about somebody else. They ask the server that runs on the --data folder, or another one by \
      --server, and serve the folder themselves while they work when no server runs.
      """,
    subcommands: [
      DatabaseGet.self, DatabaseSet.self, DatabaseUpdate.self, DatabasePush.self, DatabaseRemove.self,
      DatabaseListen.self, DatabaseExport.self, DatabaseImport.self,
    ])
}
