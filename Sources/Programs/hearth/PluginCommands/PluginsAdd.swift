import ArgumentParser
import HearthCrypto
import HearthPluginHost
import HearthProgram
import HearthTree

/// The command `hearth plugins add`.
struct PluginsAdd: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Install a plugin, or another version of it, from a folder and enable it.",
    discussion: """
      Shows the plugin's hooks, requirements and checksum, and asks for confirmation. Copies the files into the data \
      folder, where each start compares them with the checksum. A previous version runs until the new one is ready, \
      and stays for hearth plugins rollback. A new plugin with missing settings stays disabled until you enable it.

      A plugin with a URL is a service: the server signs its requests to it. A new service gets a secret, which is \
      printed only once, and stays disabled until you enable it; --secret-file sets a secret that the service already \
      has. A URL of this machine can be http://; other private addresses need --allow-private.
      """)

  @Argument(help: ArgumentHelp("The plugin's folder, with its plugin.json.", valueName: "dir"))
  var directory: String

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @Option(help: ArgumentHelp("Install only with this checksum, as hearth plugins add shows it.", valueName: "sha256"))
  var checksum: String?

  @Flag(help: "Allow a service at a private address and without TLS.")
  var allowPrivate = false

  @Option(help: ArgumentHelp("A file with the secret of its service, whsec_….", valueName: "file"))
  var secretFile: String?

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      let package = try PluginPackage(directory)
      if let checksum, checksum.lowercased() != package.digest.hex {
        throw AdminFailure("the checksum is \(package.digest.hex); nothing was installed")
      }
      if !yes {
        Output.note(text(package))
        try Confirmation.ask("Install and run it?", orFlag: "--yes", refusal: "nothing was installed")
      }
      let (folder, name) = (try options.folder, package.manifest.name)
      let given = try secretFile.map { try WebhookSecret(file: $0) }
      try folder.add(package, allowsPrivate: allowPrivate)
      let made = try secret(given, of: name)
      let missing = package.manifest.settings.missing(in: folder.plugin(name).settings)
      if missing.isEmpty, made == nil { try folder.setEnabled(name, true) }
      let plugins = try await options.apply()
      guard !missing.isEmpty || made != nil else { return try options.report(name, plugins, "installed") }
      if options.json { return options.print(try plugins.named(name), secret: made) }
      var lines = ["\(name) \(package.manifest.version): installed, not enabled."]
      if let made { lines.append("Configure its service with this secret, which is shown only once: \(made.text)") }
      if let first = missing.first {
        lines.append("Set \(missing.joined(separator: ", ")): hearth plugins settings \(name) \(first)=…")
      }
      lines.append("Then: hearth plugins enable \(name)")
      Output.line(lines.joined(separator: "\n"))
    }
  }

  /// Stores the given secret; without one, a new service gets a new secret.
  ///
  /// - Returns: A created secret; nil when none was created.
  private func secret(_ given: WebhookSecret?, of name: String) throws -> WebhookSecret? {
    let plugin = try options.folder.plugin(name)
    if let given {
      try options.folder.setSecret(given, of: name, overlapMilliseconds: 0)
      return nil
    }
    guard plugin.manifest?.carrier.isService == true, plugin.secrets.isEmpty else { return nil }
    let made = try WebhookSecret(random: .system)
    try options.folder.setSecret(made, of: name, overlapMilliseconds: 0)
    return made
  }

  /// Returns the text for the operator's decision.
  private func text(_ package: PluginPackage) -> String {
    let manifest = package.manifest
    var lines = ["\(manifest.name) \(manifest.version)" + (manifest.summary.isEmpty ? "" : ": \(manifest.summary)")]
    switch manifest.carrier {
    case .process(let command):
      lines.append("  runs      \(command.map(TextTable.printable).joined(separator: " "))")
    case .webhook(let service):
      let place = allowPrivate ? " (private addresses and plain HTTP allowed)" : ""
      lines.append("  url       \(TextTable.printable(service.url))\(place)")
    }
    if let provider = manifest.provider { lines.append("  serves    sign-in with \(provider.id)") }
    if let rules = manifest.rules {
      lines.append("  reads     rules files that end in \(rules.extensions.map { ".\($0)" }.joined(separator: ", "))")
    }
    if let tokens = manifest.verifies { lines.append("  verifies  \(tokens.text)") }
    for hook in manifest.hooks { lines.append("  hook      \(hook.rawValue) (on failure: \(hook.failurePolicy))") }
    lines.append(
      "  needs     \(manifest.carrier.isService ? manifest.requirements.serviceText : manifest.requirements.processText)"
    )
    for rule in manifest.settings {
      let marks = [rule.isRequired ? "required" : nil, rule.isSecret ? "secret" : nil].compactMap(\.self)
      let mark = marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"
      lines.append("  setting   \(rule.name)\(mark)\(rule.help.isEmpty ? "" : ": \(rule.help)")")
    }
    lines.append("  files     \(package.sizeText)")
    lines.append("  checksum  \(package.digest.hex)")
    return lines.joined(separator: "\n")
  }
}
