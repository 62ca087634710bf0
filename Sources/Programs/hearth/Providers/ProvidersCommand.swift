import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth providers`.
struct ProvidersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "providers",
    abstract: "Configure company logins.",
    discussion: "Admin SDKs list, change and delete them; see the guide \"Logins of companies\".",
    subcommands: [ImportSAML.self])

  /// The command `hearth providers import-saml`.
  struct ImportSAML: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "import-saml",
      abstract:
        "Configure or update a company's SAML login from the metadata of its identity provider.",
      discussion: """
        Settings that you do not give stay as they are if the provider exists. The company finds this server's \
        metadata at /__/auth/saml/metadata?providerId=ID.
        """)

    @OptionGroup var admin: AdminOptions

    @Argument(help: "The provider's id, as apps name it: saml.corp.")
    var id: String

    @Argument(help: "A file with the identity provider's metadata, in XML.")
    var metadata: String

    @Option(
      help: ArgumentHelp(
        "The SAML entity id of this server, a URL of yours; for a new provider.", valueName: "url"))
    var spEntityID: String?

    @Option(help: ArgumentHelp("The entity id of the identity provider, if the file has several.", valueName: "id"))
    var entityID: String?

    @Option(help: ArgumentHelp("The tenant of the provider, instead of the project.", valueName: "id"))
    var tenant: String?

    @Option(help: ArgumentHelp("The provider's display name.", valueName: "name"))
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
          "\(TextTable.printable(id)) redirects users to \(TextTable.printable(page)) and trusts "
            + NumberFormat.counted(count, "certificate"))
      }
    }
  }
}
