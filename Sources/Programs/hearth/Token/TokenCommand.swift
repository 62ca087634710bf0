import ArgumentParser

/// The command `hearth token`.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make, read and check tokens.",
    subcommands: [TokenMint.self, TokenInspect.self, TokenVerify.self])
}
