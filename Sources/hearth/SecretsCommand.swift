import ArgumentParser
import HearthCrypto

struct SecretsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets", abstract: "Show the legacy secrets of a data folder.", subcommands: [List.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the legacy secrets, newest first.",
      discussion: "Each is the password of an administrator and the key that legacy tokens are signed with.")

    @OptionGroup var data: DataOption

    @Flag(help: "Print the secrets alone, one a line.")
    var plain = false

    func run() throws {
      let keys = try data.openKeys()
      for (index, secret) in keys.legacySecrets.active.enumerated() {
        print(plain ? secret : "\(secret)  \(index == 0 ? "newest, signs new tokens" : "still accepted")")
      }
    }
  }
}
