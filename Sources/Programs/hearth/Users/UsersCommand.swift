import ArgumentParser

/// The command `hearth users`.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Manage accounts.",
    discussion: """
      An account is named by its uid, e-mail address or phone number. The commands use the server that runs on the \
      --data folder, or the one that --server names; when none runs they open the folder themselves. --tenant names the \
      tenant whose accounts are meant.
      """,
    subcommands: [
      UsersCreate.self, UsersList.self, UsersShow.self, UsersUpdate.self, UsersSetClaims.self, UsersDisable.self,
      UsersEnable.self, UsersRevoke.self, UsersDelete.self, UsersErase.self, UsersImport.self, UsersExport.self,
    ])
}
