import ArgumentParser
import Glibc
import HearthPluginHost
import HearthProgram
import HearthTree

/// The command `hearth plugins settings`.
struct PluginsSettings: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show or change a plugin's settings.",
    discussion: """
      NAME=VALUE sets a string setting to VALUE; other types read VALUE as JSON. NAME=@FILE reads the value from a \
      file, NAME=@- from standard input; NAME= removes it, so that the default applies. Secrets come from a file or \
      standard input and are never shown. The server replaces the running plugin without a pause.
      """)

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @Argument(help: ArgumentHelp("A setting to change.", valueName: "setting=value"))
  var changes: [String] = []

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      let plugin = try options.folder.existing(name)
      guard !changes.isEmpty else { return show(plugin) }
      let rules = plugin.manifest?.settings ?? []
      let changes = try changes.map { try Self.change($0, rules) }
      try options.folder.set(changes, of: name)
      try options.report(name, try await options.apply(), "set")
    }
  }

  private func show(_ plugin: InstalledPlugin) {
    if options.json {
      let members = plugin.shownSettings.map { rule, text -> JSON.Member in
        let value: JSON =
          rule.isSecret
          ? ["isSet": .bool(plugin.settings[rule.name] != nil)]
          : plugin.settings[rule.name] ?? rule.standard ?? .null
        return .init(rule.name, value)
      }
      return Output.json(["settings": .object(members)])
    }
    guard !plugin.shownSettings.isEmpty else { return Output.line("\(plugin.name) has no settings") }
    var table = TextTable(head: ["setting", "type", "value", ""])
    for (rule, text) in plugin.shownSettings {
      table.add([rule.name, rule.kind.rawValue + (rule.isRequired ? ", required" : ""), text, rule.help])
    }
    Output.line(table.text)
  }

  /// Reads an argument. Errors never show a value.
  private static func change(_ text: String, _ rules: [PluginSettingRule]) throws -> (name: String, value: JSON?) {
    guard let sign = text.firstIndex(of: "=") else { throw ValidationError("A change must be NAME=VALUE.") }
    let (name, given) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
    guard !given.isEmpty, let rule = rules.first(where: { $0.name == name }) else { return (name, nil) }
    let value: String
    if given.hasPrefix("@") {
      let content = given == "@-" ? try standardInput() : try TextFile.read(String(given.dropFirst()))
      value = rule.kind == .text && content.hasSuffix("\n") ? String(content.dropLast()) : content
    } else if rule.isSecret {
      throw ValidationError(
        "\(name) is a secret, and every user of this machine can read arguments. Use \(name)=@FILE or \(name)=@-.")
    } else {
      value = given
    }
    guard let json = rule.value(of: value) else { throw ValidationError("\(name) must be a \(rule.kind.rawValue).") }
    return (name, json)
  }

  private static func standardInput() throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count <= PluginSettingRule.bytesMax {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("Standard input is not UTF-8 text.")
    }
    return text
  }
}
