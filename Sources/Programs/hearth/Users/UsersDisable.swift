import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users disable`.
struct UsersDisable: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Disable accounts: no sign-in, no refresh, and live connections end at once.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @OptionGroup var wait: WaitOption

  @Argument(help: UserSelector.help)
  var users: [UserSelector]

  func run() async throws {
    try await admin.run(in: tenant) { admin in
      try await wait.run(admin) { admin in
        for user in users { try await UserState.set(user, isDisabled: true, admin) }
      }
    }
  }
}

/// The command `hearth users enable`.
struct UsersEnable: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Enable disabled accounts again.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: UserSelector.help)
  var users: [UserSelector]

  func run() async throws {
    try await admin.run(in: tenant) { admin in
      for user in users { try await UserState.set(user, isDisabled: false, admin) }
    }
  }
}

private enum UserState {
  static func set(_ user: UserSelector, isDisabled: Bool, _ admin: Administration) async throws {
    let uid = try await user.uid(admin)
    _ = try await admin.accounts(
      ":update", ["localId": .string(uid), "disableUser": .bool(isDisabled)])
    admin.report(
      ["localId": .string(uid), "disabled": .bool(isDisabled)],
      "\(TextTable.printable(uid)) is \(isDisabled ? "disabled" : "enabled")")
  }
}

/// The command `hearth users revoke`.
struct UsersRevoke: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Sign users out everywhere: tokens issued until now become invalid, live connections end at once.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @OptionGroup var wait: WaitOption

  @Argument(help: UserSelector.help)
  var users: [UserSelector]

  func run() async throws {
    try await admin.run(in: tenant) { admin in
      try await wait.run(admin) { admin in
        for user in users {
          let uid = try await user.uid(admin)
          let answer = try await admin.hearth("users:revoke", ["localId": .string(uid)])
          admin.report(answer, "\(TextTable.printable(uid)) is signed out everywhere")
        }
      }
    }
  }
}

/// The command `hearth users delete`.
struct UsersDelete: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete accounts permanently. Data in databases stays, also under their uids.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @OptionGroup var wait: WaitOption

  @Argument(help: UserSelector.help)
  var users: [UserSelector]

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  func run() async throws {
    try await admin.run(in: tenant) { admin in
      try await wait.run(admin) { admin in
        for user in users {
          let uid = try await user.uid(admin)
          if !yes { try Confirmation.ask("Delete the account \(user.text) permanently?", orFlag: "--yes") }
          _ = try await admin.accounts(":delete", ["localId": .string(uid)])
          admin.report(["localId": .string(uid)], "deleted \(TextTable.printable(uid))")
        }
      }
    }
  }
}
