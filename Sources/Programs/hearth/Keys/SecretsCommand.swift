import ArgumentParser
import HearthCrypto
import HearthProgram
import HearthTree

/// The command `hearth secrets`.
struct SecretsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets", abstract: "Manage legacy database secrets, each with an administrator's rights.",
    subcommands: [List.self, Rotate.self, Remove.self])

  /// The command `hearth secrets list`.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the legacy secrets, newest first.",
      discussion: "A secret gives full access by itself, and signs legacy tokens.")

    @OptionGroup var data: DataOption

    @Flag(help: "Print only the secrets, one on each line.")
    var plain = false

    @Flag(help: "Print JSON, for scripts.")
    var json = false

    func run() throws {
      let secrets = try data.openKeys().legacySecrets.active
      if json { return Output.json(["secrets": .array(secrets.map { .string($0) })]) }
      for (index, secret) in secrets.enumerated() {
        Output.line(plain ? secret : "\(secret)  \(index == 0 ? "newest, signs new tokens" : "still accepted")")
      }
    }
  }

  /// The command `hearth secrets rotate`.
  struct Rotate: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate",
      abstract: "Create a new secret, which signs from then on.",
      discussion: """
        The newest three secrets are valid; an older one becomes invalid at once. After a leak, remove the old secret \
        as soon as its tokens have been replaced.
        """)

    @OptionGroup var admin: AdminOptions

    @OptionGroup var wait: WaitOption

    func run() async throws {
      try await admin.run { admin in
        try await wait.run(admin) { admin in
          let answer = try await admin.hearth("secrets:rotate")
          admin.report(answer, "created a new secret, which signs from now on; the newest three secrets are valid")
        }
      }
    }
  }

  /// The command `hearth secrets remove`.
  struct Remove: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove an old secret: it and its tokens become invalid.")

    @OptionGroup var admin: AdminOptions

    @OptionGroup var wait: WaitOption

    @Argument(
      help: ArgumentHelp("Its position in hearth secrets list: 1 is the newest, 2 the next.", valueName: "place"))
    var place: Int

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
      if !yes { try Confirmation.ask("Programs that use this secret lose access. Continue?", orFlag: "--yes") }
      try await admin.run { admin in
        let secrets = try await admin.hearth("secrets:list")["secrets"]?.array ?? []
        guard secrets.indices.contains(place - 1), let id = secrets[place - 1]["id"]?.string else {
          throw AdminFailure("there is no secret \(place); list the valid secrets with: hearth secrets list")
        }
        try await wait.run(admin) { admin in
          let answer = try await admin.hearth("secrets:remove", ["id": .string(id)])
          admin.report(answer, "the secret is invalid now; \(secrets.count - 1) remain")
        }
      }
    }
  }
}
