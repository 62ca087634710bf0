import ArgumentParser
import HearthPluginHost
import HearthProgram
import HearthTree

/// `hearth plugins add`
struct PluginsAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Install a plugin from a folder, or another version of one, and switch it on.",
    discussion: """
      Shows what the plugin is asked, what it wants and its checksum, and asks. The files are copied into the data folder, \
      where they are held against the checksum at every start. A former version goes on until the new one answers, and \
      stays for hearth plugins rollback. A plugin whose settings are not complete waits for them.
      """)

  @Argument(help: ArgumentHelp("The plugin's folder, with its plugin.json.", valueName: "dir"))
  var directory: String

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @Option(help: ArgumentHelp("Only with this checksum, as hearth plugins list shows it.", valueName: "sha256"))
  var checksum: String?

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      let package = try PluginPackage(directory)
      if let checksum, checksum.lowercased() != package.digest.hex {
        throw AdminFailure("the checksum is \(package.digest.hex); nothing was installed")
      }
      if !yes {
        Output.note(Self.text(package))
        try Confirmation.ask("Install and run it?", orFlag: "--yes", refusal: "nothing was installed")
      }
      let (folder, name) = (options.folder, package.manifest.name)
      try folder.add(package)
      let missing = package.manifest.settings.missing(in: folder.plugin(name).settings)
      if missing.isEmpty { try folder.setEnabled(name, true) }
      let plugins = try await options.apply()
      guard missing.isEmpty else {
        if options.json { return Output.json(try plugins.named(name)) }
        return Output.line(
          "\(name) \(package.manifest.version): installed and not switched on. It needs \(missing.joined(separator: ", ")): "
            + "hearth plugins settings \(name) \(missing[0])=…, then hearth plugins enable \(name)")
      }
      try options.report(name, plugins, "installed")
    }
  }

  /// What the operator decides on.
  private static func text(_ package: PluginPackage) -> String {
    let manifest = package.manifest
    var lines = ["\(manifest.name) \(manifest.version)" + (manifest.summary.isEmpty ? "" : ": \(manifest.summary)")]
    lines.append("  runs      \(manifest.command.map(TextTable.printable).joined(separator: " "))")
    if let provider = manifest.provider { lines.append("  serves    sign-in with \(provider.id)") }
    for hook in manifest.hooks { lines.append("  is asked  \(hook.rawValue) (when it is down: \(hook.failurePolicy))") }
    lines.append("  wants     \(manifest.wants.text)")
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
