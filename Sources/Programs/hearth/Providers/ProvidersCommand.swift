import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth providers`.
struct ProvidersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "providers",
    abstract: "Configure the logins of companies.",
    discussion: "Admin SDKs list, change and delete them; see the guide's \"Logins of companies\".",
    subcommands: [ImportSAML.self])

  /// The command `hearth providers import-saml`.
  struct ImportSAML: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "import-saml",
      abstract:
        "Configure or renew a company's SAML login from the metadata of its identity provider.",
      discussion: """
        What is not named stays as it is when the provider is there already. The company gets this server's metadata at \
        /__/auth/saml/metadata?providerId=ID.
        """)

    @OptionGroup var admin: AdminOptions

    @Argument(help: "The provider's id, as apps name it: saml.corp.")
    var id: String

    @Argument(help: "A file with the identity provider's metadata, in XML.")
    var metadata: String

    @Option(
      help: ArgumentHelp(
        "What the company is to call this server: a URL of yours, for a new provider.", valueName: "url"))
    var spEntityID: String?

    @Option(help: ArgumentHelp("Which of several identity providers in the file.", valueName: "id"))
    var entityID: String?

    @Option(help: ArgumentHelp("The tenant that it is for, instead of the project.", valueName: "id"))
    var tenant: String?

    @Option(help: ArgumentHelp("The provider's name for people.", valueName: "name"))
    var displayName: String?

    func run() async throws {
      let text = try TextFile.read(metadata)
      var members: JSON = ["providerId": .string(id), "metadata": .string(text)]
      let further = [
        ("spEntityId", spEntityID), ("entityId", entityID), ("tenantId", tenant), ("displayName", displayName),
      ]
      for (name, value) in further { value.map { members[name] = .string($0) } }
      try await admin.run { admin in
        let answer = try await admin.hearth("providers:importSAML", members)
        let page = answer["idpConfig"]?["ssoUrl"]?.string ?? ""
        let count = answer["idpConfig"]?["idpCertificates"]?.array?.count ?? 0
        admin.report(
          answer,
          "\(TextTable.printable(id)) sends people to \(TextTable.printable(page)) and trusts "
            + NumberFormat.counted(count, "certificate"))
      }
    }
  }
}
