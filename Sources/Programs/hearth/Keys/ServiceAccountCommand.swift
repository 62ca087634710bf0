import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth service-account`.
struct ServiceAccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service-account",
    abstract: "Manage service accounts: back-end programs use them to act as administrators.",
    subcommands: [Create.self, List.self, Disable.self, RemoveKey.self])

  /// The command `hearth service-account create`.
  struct Create: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create an account and print its key file for Google's admin SDKs.",
      discussion: """
        The private key is printed only once and not stored: hearth service-account create ci > ci.json. An existing \
        account gets an additional key.
        """)

    @OptionGroup var admin: AdminOptions

    @Argument(help: "The account's name: lower-case letters, digits and -, such as ci.")
    var name: String

    func run() async throws {
      try await admin.run { admin in
        let answer = try await admin.hearth("serviceAccounts:create", ["name": .string(name)])
        guard let key = answer["key"] else {
          throw AdminFailure("\(admin.place) created the account but returned no key")
        }
        if admin.printsJSON {
          Output.json(key)
        } else {
          Output.line(String(decoding: key.text(pretty: true), as: UTF8.self))
        }
      }
    }
  }

  /// The command `hearth service-account list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the service accounts.")

    @OptionGroup var admin: AdminOptions

    func run() async throws {
      try await admin.run { admin in
        let answer = try await admin.hearth("serviceAccounts:list")
        admin.report(answer, Self.text(answer))
      }
    }

    private static func text(_ answer: JSON) -> String {
      let accounts = answer["serviceAccounts"]?.array ?? []
      guard !accounts.isEmpty else { return "no service accounts; create one with: hearth service-account create NAME" }
      var table = TextTable(head: ["EMAIL", "STATE", "KEYS", "MADE"])
      for account in accounts {
        let keys = account["keyIDs"]?.array?.compactMap(\.string) ?? []
        table.add([
          account["email"]?.string ?? "", account["disabled"]?.bool == true ? "disabled" : "enabled",
          keys.map { String($0.prefix(12)) }.joined(separator: ","),
          account["createdAtMilliseconds"]?.int.map(TimeText.milliseconds) ?? "",
        ])
      }
      return table.text
    }
  }

  /// The command `hearth service-account disable`.
  struct Disable: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "disable",
      abstract: "Disable a service account: its custom tokens and access tokens become invalid.")

    @OptionGroup var admin: AdminOptions

    @OptionGroup var wait: WaitOption

    @Argument(help: ArgumentHelp("The account's name or e-mail address.", valueName: "account"))
    var account: String

    @Flag(help: "Enable the account again.")
    var enable = false

    func run() async throws {
      try await admin.run { admin in
        let email = ServiceAccountCommand.email(account, admin)
        try await wait.run(admin) { admin in
          let answer = try await admin.hearth(
            "serviceAccounts:disable", ["email": .string(email), "disabled": .bool(!enable)])
          admin.report(answer, "\(TextTable.printable(email)) is \(enable ? "enabled" : "disabled")")
        }
      }
    }
  }

  /// The command `hearth service-account remove-key`.
  struct RemoveKey: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-key",
      abstract: "Remove a key that leaked: all of the account's tokens become invalid.",
      discussion: "The account's other keys stay valid. hearth service-account list shows the keys' ids.")

    @OptionGroup var admin: AdminOptions

    @OptionGroup var wait: WaitOption

    @Argument(help: ArgumentHelp("The account's name or e-mail address.", valueName: "account"))
    var account: String

    @Argument(help: ArgumentHelp("The key's id, private_key_id in the account's file.", valueName: "key"))
    var key: String

    func run() async throws {
      try await admin.run { admin in
        try await wait.run(admin) { admin in
          let answer = try await admin.hearth(
            "serviceAccounts:removeKey",
            ["email": .string(ServiceAccountCommand.email(account, admin)), "keyID": .string(key)])
          admin.report(answer, "\(TextTable.printable(key)) is removed")
        }
      }
    }
  }

  /// Returns the address of an account that may be given by its name alone.
  private static func email(_ account: String, _ admin: Administration) -> String {
    account.contains("@") ? account : "\(account)@\(admin.projectID).iam.gserviceaccount.com"
  }
}
