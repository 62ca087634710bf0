import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth functions`.
struct FunctionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "functions",
    abstract: "Manage blocking functions, which allow or deny sign-ups and sign-ins.",
    subcommands: [List.self, Set.self, Clear.self])

  /// The command `hearth functions list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the blocking functions.")

    @OptionGroup var admin: AdminOptions

    func run() async throws {
      try await admin.run { admin in
        let functions = try await ProjectFunctions.read(admin)
        admin.report(functions.json, functions.text)
      }
    }
  }

  /// The command `hearth functions set`.
  struct Set: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Set a blocking function. It applies from the next sign-in.",
      discussion: """
        Functions that are set here replace blockingFunctions of --auth-config, until hearth functions clear --all.

        A URL of this machine can be http://; other private addresses need --allow-private.
        """)

    @OptionGroup var admin: AdminOptions

    @Argument(help: "The event: before-create or before-sign-in.")
    var moment: FunctionMoment

    @Argument(help: "The function's URL: http://127.0.0.1:8080, https://functions.example.com/beforeCreate.")
    var url: String

    @Option(
      help: "The signature of requests: RS256, or none for emulated functions. If not given, the server's default.")
    var signing: String?

    @Option(
      help:
        "deny or allow: the decision when the function cannot be reached. allow is possible for before-sign-in only.")
    var onUnreachable: String?

    @Flag(help: "Allow a function at a private address and without TLS.")
    var allowPrivate = false

    @Option(
      help: ArgumentHelp(
        "The tokens of other providers to send to the functions: id-token, access-token, refresh-token, separated by "
          + "commas; none sends none.",
        valueName: "tokens"))
    var forward: ForwardedTokens?

    func run() async throws {
      try await admin.run { admin in
        var functions = try await ProjectFunctions.read(admin)
        var function: JSON = ["functionUri": .string(url)]
        if let signing { function["signing"] = .string(signing) }
        if allowPrivate { function["allowsPrivate"] = true }
        if let onUnreachable { function["onUnreachable"] = .string(onUnreachable) }
        functions.triggers.removeAll { $0.name == moment.event }
        functions.triggers.append(.init(moment.event, function))
        if let forward { functions.forwarded = forward.members }
        let stored = try await functions.write(admin)
        admin.report(stored.json, "\(moment.rawValue) is set and applies from the next sign-in")
      }
    }
  }

  /// The command `hearth functions clear`.
  struct Clear: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Remove blocking functions.")

    @OptionGroup var admin: AdminOptions

    @Argument(help: "The event: before-create or before-sign-in.")
    var moment: FunctionMoment?

    @Flag(help: "Remove all functions that were set; blockingFunctions of --auth-config apply again.")
    var all = false

    func validate() throws {
      guard all != (moment != nil) else { throw ValidationError("Name before-create or before-sign-in, or --all.") }
    }

    func run() async throws {
      try await admin.run { admin in
        guard let moment else {
          let functions = try await ProjectFunctions.reset(admin)
          return admin.report(functions.json, functions.text)
        }
        var functions = try await ProjectFunctions.read(admin)
        functions.triggers.removeAll { $0.name == moment.event }
        let stored = try await functions.write(admin)
        admin.report(stored.json, "\(moment.rawValue) is removed")
      }
    }
  }
}

/// The event of a blocking function, as the command line names it.
enum FunctionMoment: String, ExpressibleByArgument, CaseIterable {
  case beforeCreate = "before-create"
  case beforeSignIn = "before-sign-in"

  /// The identity service's name of the event.
  var event: String {
    switch self {
    case .beforeCreate: "beforeCreate"
    case .beforeSignIn: "beforeSignIn"
    }
  }
}

/// The value of the option `--forward`.
struct ForwardedTokens: ExpressibleByArgument {
  private static let names = ["id-token": "idToken", "access-token": "accessToken", "refresh-token": "refreshToken"]

  /// The members for the identity service.
  let members: [JSON.Member]

  init?(argument: String) {
    guard argument != "none" else {
      members = []
      return
    }
    var members: [JSON.Member] = []
    for name in argument.split(separator: ",") {
      guard let name = Self.names[String(name)] else { return nil }
      members.append(.init(name, .bool(true)))
    }
    self.members = members
  }
}
