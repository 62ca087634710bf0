import ArgumentParser
import HearthCrypto
import HearthPluginHost
import HearthProgram
import HearthTree

/// The command `hearth plugins rotate-secret`.
struct PluginsRotateSecret: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-secret",
    abstract: "Replace the secret that signs requests to a plugin's service.",
    discussion: """
      The new secret is printed only once. During the hours of --overlap each request has a signature of both secrets, \
      so that the service can change from one to the other. With --overlap 0 the previous secret becomes invalid at \
      once.
      """)

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @Option(help: ArgumentHelp("How long the previous secret stays valid.", valueName: "hours"))
  var overlap: Int64 = PluginSecret.overlapMilliseconds / 3_600_000

  @Option(help: ArgumentHelp("A file with the new secret, whsec_…. If not given, one is made.", valueName: "file"))
  var secretFile: String?

  @OptionGroup var options: PluginsOptions

  func validate() throws {
    guard (0...8_760).contains(overlap) else { throw ValidationError("--overlap must be 0 to 8760 hours.") }
  }

  func run() async throws {
    try await options.run {
      let given = try secretFile.map { try WebhookSecret(file: $0) }
      let secret = try given ?? WebhookSecret(random: .system)
      try options.folder.setSecret(
        secret, of: name, overlapMilliseconds: overlap * 3_600_000)
      let plugins = try await options.apply()
      let made = given == nil ? secret : nil
      if let made, !options.json { Output.line("secret: \(made.text)") }
      try options.report(
        name, plugins, overlap > 0 ? "has two secrets for \(overlap) h" : "has a new secret", secret: made)
    }
  }
}
