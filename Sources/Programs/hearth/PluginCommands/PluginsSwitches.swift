import ArgumentParser
import HearthPluginHost
import HearthProgram
import HearthTree

/// The command `hearth plugins enable`.
struct PluginsEnable: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Enable a plugin, or restart a failed one.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      try options.folder.setEnabled(name, true)
      try options.report(name, try await options.apply(restarting: name), "enabled")
    }
  }
}

/// The command `hearth plugins disable`.
struct PluginsDisable: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Disable a plugin. It finishes its running requests and gets no new ones.",
    discussion: "The server continues without its decisions: disable a plugin only when it is not needed.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      try options.folder.setEnabled(name, false)
      try options.report(name, try await options.apply(), "disabled")
    }
  }
}

/// The command `hearth plugins rollback`.
struct PluginsRollback: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Return to the previous version of a plugin. A second rollback undoes the first.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      try options.folder.rollBack(name)
      try options.report(name, try await options.apply(), "rolled back")
    }
  }
}

/// The command `hearth plugins remove`.
struct PluginsRemove: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a plugin with its settings, log and files.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      let plugin = try options.folder.existing(name)
      if !yes { try Confirmation.ask("\(name) is removed with its settings. Continue?", orFlag: "--yes") }
      // The plugin is stopped before its files are removed.
      if plugin.record != nil {
        try options.folder.setEnabled(name, false)
        _ = try await options.apply()
      }
      try options.folder.remove(name)
      let plugins = try await options.apply()
      if options.json {
        Output.json(["plugins": .array(plugins.plugins)])
      } else {
        Output.line("\(name): removed")
      }
    }
  }
}
