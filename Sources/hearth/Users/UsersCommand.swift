import ArgumentParser

struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Manage accounts.",
    discussion: """
      An account is named by its uid, e-mail address or phone number. The commands ask the server that runs on the \
      --data folder, or another one by --server, and open the folder themselves when no server runs.
      """,
    subcommands: [
      UsersCreate.self, UsersList.self, UsersShow.self, UsersUpdate.self, UsersSetClaims.self, UsersDisable.self,
      UsersEnable.self, UsersRevoke.self, UsersDelete.self, UsersImport.self, UsersExport.self,
    ])
}
