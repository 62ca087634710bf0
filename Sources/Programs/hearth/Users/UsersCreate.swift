import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users create`.
struct UsersCreate: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create an account.",
    discussion: """
      Asks for the password on the terminal. An account without an e-mail address has no password: its user signs in \
      with a custom token for its uid.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: ArgumentHelp("The e-mail address to sign in with.", valueName: "email"))
  var email: String?

  @OptionGroup var password: PasswordOption

  @Flag(help: "Create the account without a password: the user sets one with a reset mail.")
  var withoutPassword = false

  @Option(help: "The account's uid. If not given, a random one.")
  var uid: String?

  @OptionGroup var profile: ProfileOptions

  func validate() throws {
    if email == nil, password.passwordStdin { throw ValidationError("--password-stdin needs an e-mail address.") }
    if withoutPassword, password.passwordStdin {
      throw ValidationError("--without-password and --password-stdin cannot be combined.")
    }
  }

  func run() async throws {
    var members = profile.members
    if let email {
      members["email"] = .string(email)
      if !withoutPassword { members["password"] = .string(try password.read("Password for \(email)")) }
    }
    if let uid { members["localId"] = .string(uid) }
    let body = members
    try await admin.run(in: tenant) { admin in
      let made = try await admin.accounts("", body)
      guard let uid = made["localId"]?.string, let selector = UserSelector(argument: "uid:" + uid) else {
        throw AdminFailure("\(admin.place) did not return the uid of the new account")
      }
      let user = try await selector.find(admin)
      admin.report(user.json, "created \(user.uid)\(user.email.map { " for " + TextTable.printable($0) } ?? "")")
    }
  }
}

/// The options that describe an account, other than its credentials.
struct ProfileOptions: ParsableArguments {
  @Option(help: "The display name.")
  var displayName: String?

  @Option(help: ArgumentHelp("The URL of a picture.", valueName: "url"))
  var photoUrl: String?

  @Option(help: ArgumentHelp("The phone number, such as +15555550100.", valueName: "number"))
  var phone: String?

  @Option(help: ArgumentHelp("Whether the e-mail address is verified.", valueName: "true|false"))
  var emailVerified: Bool?

  @Option(help: ArgumentHelp("Whether the account is disabled.", valueName: "true|false"))
  var disabled: Bool?

  /// The members for the identity interface when an account is created.
  var members: JSON { members(disabledName: "disabled") }

  /// The members for an update in the identity interface, which has another name for `disabled`.
  var updateMembers: JSON { members(disabledName: "disableUser") }

  private func members(disabledName: String) -> JSON {
    var members: JSON = [:]
    if let displayName { members["displayName"] = .string(displayName) }
    if let photoUrl { members["photoUrl"] = .string(photoUrl) }
    if let phone { members["phoneNumber"] = .string(phone) }
    if let emailVerified { members["emailVerified"] = .bool(emailVerified) }
    if let disabled { members[disabledName] = .bool(disabled) }
    return members
  }
}
