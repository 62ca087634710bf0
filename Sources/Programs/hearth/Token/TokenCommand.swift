import ArgumentParser

/// The command `hearth token`.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Create, read and verify tokens.",
    subcommands: [TokenMint.self, TokenInspect.self, TokenVerify.self])
}
