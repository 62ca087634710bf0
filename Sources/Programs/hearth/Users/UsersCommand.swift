import ArgumentParser

/// The command `hearth users`.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Manage accounts.",
    discussion: """
      Name an account by its uid, e-mail address or phone number. The commands use the server that runs on the --data \
      folder, or the server that --server names. If no server runs, they open the folder themselves. --tenant selects \
      the accounts of a tenant.
      """,
    subcommands: [
      UsersCreate.self, UsersList.self, UsersShow.self, UsersUpdate.self, UsersSetClaims.self, UsersDisable.self,
      UsersEnable.self, UsersRevoke.self, UsersDelete.self, UsersErase.self, UsersImport.self, UsersExport.self,
    ])
}
