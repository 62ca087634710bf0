import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth keys`.
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Manage the keys that sign ID tokens and session cookies.",
    discussion: """
      The server rotates them every 30 days. A new key is published an hour before it signs; an old key is kept until \
      the last token that it signed has expired.
      """,
    subcommands: [List.self, Rotate.self, Remove.self])

  /// The purpose of a set of keys.
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case idToken = "id-token"
    case sessionCookie = "session-cookie"
  }

  /// The command `hearth keys list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys, newest first.")

    @OptionGroup var admin: AdminOptions

    func run() async throws {
      try await admin.run { admin in
        let answer = try await admin.hearth("keys:list")
        admin.report(answer, Self.text(answer))
      }
    }

    private static func text(_ answer: JSON) -> String {
      var table = TextTable(head: ["KIND", "KID", "STATE", "MADE"])
      for key in answer["keys"]?.array ?? [] {
        table.add([
          key["kind"]?.string ?? "", key["kid"]?.string ?? "", key["state"]?.string ?? "",
          key["createdAtSeconds"]?.int.map(TimeText.seconds) ?? "",
        ])
      }
      return table.text
    }
  }

  /// The command `hearth keys rotate`.
  struct Rotate: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate",
      abstract: "Create a new signing key.",
      discussion: """
        The new key starts signing after an hour, so that other servers that verify tokens can fetch it first. After a \
        leak, use --now to start at once, then remove the leaked key with hearth keys remove.
        """)

    @OptionGroup var admin: AdminOptions

    @Option(help: "The kind of keys: id-token or session-cookie.")
    var kind = Kind.idToken

    @Flag(help: "Start signing with the new key at once.")
    var now = false

    func run() async throws {
      try await admin.run { admin in
        let answer = try await admin.hearth(
          "keys:rotate", ["kind": .string(kind.rawValue), "urgent": .bool(now)])
        let kid = answer["kid"]?.string ?? ""
        admin.report(answer, now ? "\(kid) signs now" : "\(kid) is published and signs in an hour")
      }
    }
  }

  /// The command `hearth keys remove`.
  struct Remove: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a key: its tokens become invalid, and their live connections end.")

    @OptionGroup var admin: AdminOptions

    @OptionGroup var wait: WaitOption

    @Argument(help: ArgumentHelp("The key's id, from hearth keys list.", valueName: "kid"))
    var kid: String

    @Option(help: "The kind of keys: id-token or session-cookie.")
    var kind = Kind.idToken

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    func run() async throws {
      if !yes {
        try Confirmation.ask(
          "Users with a token of this key must refresh it; web apps that load in the meantime sign out. Continue?",
          orFlag: "--yes")
      }
      try await admin.run { admin in
        try await wait.run(admin) { admin in
          let answer = try await admin.hearth(
            "keys:remove", ["kind": .string(kind.rawValue), "kid": .string(kid)])
          admin.report(answer, "\(TextTable.printable(kid)) is removed")
        }
      }
    }
  }
}
