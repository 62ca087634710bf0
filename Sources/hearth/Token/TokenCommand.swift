import ArgumentParser

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make and look into tokens.",
    subcommands: [TokenMint.self, TokenInspect.self, TokenVerify.self])
}
