import ArgumentParser
import HearthCrypto
import HearthProgram

/// The command `hearth token inspect`.
struct TokenInspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show the content of a token, and verify it with the keys of the data folder.",
    discussion: """
      Does not check the account: hearth token verify also checks whether it is disabled or signed out. Exits with 0 \
      when the token is valid, and 1 when it is not.
      """)

  @OptionGroup var data: DataOption

  @OptionGroup var project: ProjectOption

  @OptionGroup var token: TokenArgument

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  func run() throws {
    let ring = KeyRing(store: try data.openKeys(), projectID: try data.projectID(project))
    let verdict = TokenVerdict(try token.read(), ring: ring, accounts: [], nowSeconds: WallClock.nowSeconds)
    if json { Output.json(verdict.json()) } else { Self.show(verdict) }
    if !verdict.isValid { throw ExitCode.failure }
  }

  private static func show(_ verdict: TokenVerdict) {
    Output.line("kind     \(verdict.kind)")
    if let parts = verdict.parts {
      Output.line("header   \(TextTable.printable(parts.header.json))")
      Output.line("payload  \(TextTable.printable(parts.payload.json))")
    }
    if let refusal = verdict.refusal { return Output.line("not valid: \(refusal)") }
    if verdict.parts?.kind == .custom {
      Output.line("for      signing in as \(TextTable.printable(verdict.uid ?? ""))")
    } else {
      Output.line("auth     \(TextTable.printable(verdict.auth.map(\.json) ?? "null"))")
    }
    if verdict.isAdministrator { Output.line("rules do not apply: the token is an administrator's") }
    if let end = verdict.expiresAtSeconds { Output.line("expires  in \(max(0, end - WallClock.nowSeconds)) s") }
    Output.line("valid")
  }
}

/// The argument for the token of a command.
struct TokenArgument: ParsableArguments {
  @Argument(help: "The token; - reads it from standard input, so that other users of this machine cannot see it.")
  var token: String

  func read() throws -> String {
    let text = token == "-" ? (readLine(strippingNewline: true) ?? "") : token
    guard !text.isEmpty else { throw ValidationError("The token is empty.") }
    return text
  }
}
