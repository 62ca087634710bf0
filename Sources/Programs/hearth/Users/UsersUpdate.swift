import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users update`.
struct UsersUpdate: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Change an account.",
    discussion: "A new e-mail address or password ends the account's sessions: the user must sign in again.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @OptionGroup var wait: WaitOption

  @Argument(help: UserSelector.help)
  var user: UserSelector

  @Option(help: "A new e-mail address.")
  var email: String?

  @Flag(help: "Ask for a new password on the terminal.")
  var newPassword = false

  @OptionGroup var password: PasswordOption

  @OptionGroup var profile: ProfileOptions

  @Option(
    help: ArgumentHelp("The member to remove: display-name, photo-url, phone, or a provider's id.", valueName: "what"))
  var remove: [String] = []

  func validate() throws {
    guard email != nil || newPassword || password.passwordStdin || profile.updateMembers != [:] || !remove.isEmpty
    else {
      throw ValidationError("Nothing to change; give at least one option, such as --display-name NAME.")
    }
  }

  func run() async throws {
    var body = profile.updateMembers.appending(removals)
    if let email { body["email"] = .string(email) }
    if newPassword || password.passwordStdin {
      body["password"] = .string(try password.read("New password for \(user.text)"))
    }
    try await admin.run(in: tenant) { [body] admin in
      try await wait.run(admin) { admin in
        let uid = try await user.uid(admin)
        _ = try await admin.accounts(":update", body.appending(["localId": .string(uid)]))
        guard let selector = UserSelector(argument: "uid:" + uid) else { return }
        let changed = try await selector.find(admin)
        admin.report(changed.json, "changed \(changed.uid)")
      }
    }
  }

  private var removals: JSON {
    var (attributes, providers): ([JSON], [JSON]) = ([], [])
    for what in remove {
      switch what {
      case "display-name": attributes.append(.string("DISPLAY_NAME"))
      case "photo-url": attributes.append(.string("PHOTO_URL"))
      default: providers.append(.string(what))
      }
    }
    var removals: JSON = [:]
    if !attributes.isEmpty { removals["deleteAttribute"] = .array(attributes) }
    if !providers.isEmpty { removals["deleteProvider"] = .array(providers) }
    return removals
  }
}

/// The command `hearth users set-claims`.
struct UsersSetClaims: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-claims",
    abstract: "Set the claims in an account's tokens; rules see them as auth.token.NAME.",
    discussion: """
      Replaces all earlier claims; {} removes them. Tokens already issued keep the old claims until refreshed, unless the \
      configuration has revokesOnClaimChange.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @OptionGroup var wait: WaitOption

  @Argument(help: UserSelector.help)
  var user: UserSelector

  @Argument(help: ArgumentHelp("A JSON object, such as '{\"role\":\"editor\"}'.", valueName: "json"))
  var claims: String

  func validate() throws {
    guard JSON(parsing: claims.utf8)?.members != nil else {
      throw ValidationError(ClaimsText.problem("The claims", claims))
    }
  }

  func run() async throws {
    try await admin.run(in: tenant) { admin in
      try await wait.run(admin) { admin in
        let uid = try await user.uid(admin)
        _ = try await admin.accounts(
          ":update", ["localId": .string(uid), "customAttributes": .string(claims)])
        admin.report(
          ["localId": .string(uid), "customAttributes": .string(claims)],
          "\(TextTable.printable(uid)) has the new claims from its next token")
      }
    }
  }
}
