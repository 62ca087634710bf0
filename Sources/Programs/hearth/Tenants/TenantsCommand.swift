import ArgumentParser
import HearthAccounts
import HearthProgram
import HearthTree

/// The command `hearth tenants`.
struct TenantsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenants",
    abstract: "Manage tenants: parts of the project with separate users.",
    discussion: """
      Manage the accounts of a tenant with hearth users and --tenant. Admin SDKs set all other settings of a tenant: \
      see the guide "Tenants".
      """,
    subcommands: [
      TenantsList.self, TenantsCreate.self, TenantsShow.self, TenantsSet.self, TenantsDelete.self,
    ])
}

/// The command `hearth tenants list`.
struct TenantsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List tenants, in order of their ids.",
    discussion: "With --json, prints one tenant on each line, in the form of the admin SDKs.")

  @OptionGroup var admin: AdminOptions

  func run() async throws {
    try await admin.run { admin in
      var table = TextTable(head: TenantView.columns)
      var count = 0
      var next: String?
      repeat {
        let page = try await admin.tenants(after: next)
        for tenant in page.tenants {
          if admin.printsJSON { Output.json(tenant.json) } else { table.add(tenant.cells) }
        }
        count += page.tenants.count
        next = page.tenants.isEmpty ? nil : page.next
      } while next != nil
      guard !admin.printsJSON else { return }
      if count > 0 { Output.line(table.text) }
      Output.note(NumberFormat.counted(count, "tenant"))
    }
  }
}

/// The command `hearth tenants create`.
struct TenantsCreate: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a tenant, and print its id, which apps set as auth.tenantId.")

  @OptionGroup var admin: AdminOptions

  @Argument(
    help: ArgumentHelp(
      "The name: 4 to 20 letters, digits and hyphens, the first a letter. The id begins with it.", valueName: "name"))
  var name: String

  @OptionGroup var signInMethods: SignInMethodOptions

  func validate() throws {
    guard TenantRecord.isDisplayName(name) else {
      throw ValidationError(
        "A tenant's name has 4 to 20 letters, digits and hyphens, and begins with a letter: acme-corp.")
    }
  }

  func run() async throws {
    let body = (["displayName": .string(name)] as JSON).appending(.object(signInMethods.members))
    try await admin.run { admin in
      let made = TenantView(json: try await admin.tenant("", body))
      admin.report(made.json, made.id)
    }
  }
}

/// The command `hearth tenants show`.
struct TenantsShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a tenant's settings.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var which: TenantArgument

  func run() async throws {
    try await admin.run { admin in
      let tenant = TenantView(json: try await admin.tenant("/\(which.id)", method: "GET"))
      admin.report(tenant.json, tenant.description)
    }
  }
}

/// The command `hearth tenants set`.
struct TenantsSet: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change a tenant: its name, its sign-in methods, and whether it is enabled.",
    discussion: "Options that you do not give stay as they are.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var which: TenantArgument

  @Option(help: "A new display name; the id stays.")
  var name: String?

  @OptionGroup var signInMethods: SignInMethodOptions

  @Option(
    help: ArgumentHelp("Disable the tenant: no sign-in, and no renewal of tokens.", valueName: "true|false"))
  var disabled: Bool?

  func validate() throws {
    guard name != nil || disabled != nil || !signInMethods.members.isEmpty else {
      throw ValidationError("Nothing to change; give at least one option, such as --disabled true.")
    }
  }

  func run() async throws {
    var body = JSON.object(signInMethods.members)
    if let name { body["displayName"] = .string(name) }
    if let disabled { body["disableAuth"] = .bool(disabled) }
    try await admin.run { [body] admin in
      let tenant = TenantView(json: try await admin.tenant("/\(which.id)", method: "PATCH", body))
      admin.report(tenant.json, tenant.description)
    }
  }
}

/// The command `hearth tenants delete`.
struct TenantsDelete: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete tenants permanently with their accounts. Data in databases stays.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var wait: WaitOption

  @Argument(help: ArgumentHelp("The tenant's id.", valueName: "id"), transform: TenantArgument.read)
  var tenants: [String]

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  func run() async throws {
    try await admin.run { admin in
      try await wait.run(admin) { admin in
        for id in tenants {
          if !yes {
            try Confirmation.ask("Delete the tenant \(id) and all its accounts permanently?", orFlag: "--yes")
          }
          _ = try await admin.tenant("/\(id)", method: "DELETE")
          admin.report(["tenantId": .string(id)], "deleted \(id)")
        }
      }
    }
  }
}

/// The options that switch the sign-in methods of a tenant on or off.
struct SignInMethodOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Whether users can sign in with passwords.", valueName: "true|false"))
  var passwords: Bool?

  @Option(help: ArgumentHelp("Whether users can sign in with mailed links.", valueName: "true|false"))
  var emailLinks: Bool?

  @Option(help: ArgumentHelp("Whether anonymous sign-in is allowed.", valueName: "true|false"))
  var anonymous: Bool?

  /// The given options as members of a tenant in Identity Platform's API.
  var members: [JSON.Member] {
    [
      ("allowPasswordSignup", passwords), ("enableEmailLinkSignin", emailLinks), ("enableAnonymousUser", anonymous),
    ].compactMap { name, value in value.map { JSON.Member(name, .bool($0)) } }
  }
}
