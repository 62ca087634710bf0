import ArgumentParser
import HearthPluginHost
import HearthProgram
import HearthTree

/// The command `hearth plugins enable`.
struct PluginsEnable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Switch a plugin on, or start one again that was given up.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      try options.folder.setEnabled(name, true)
      try options.report(name, try await options.apply(restarting: name), "switched on")
    }
  }
}

/// The command `hearth plugins disable`.
struct PluginsDisable: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Switch a plugin off. It answers what it has, and is asked nothing more.",
    discussion: "What it decides on is not asked then: switch a plugin off only when it is not needed.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      try options.folder.setEnabled(name, false)
      try options.report(name, try await options.apply(), "switched off")
    }
  }
}

/// The command `hearth plugins rollback`.
struct PluginsRollback: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Go back to the version of a plugin that ran before; a second time leads forth again.")

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
struct PluginsRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take a plugin away, with its settings, its log and what it kept in its folder.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @Flag(help: "Do not ask for confirmation.")
  var yes = false

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      let plugin = try options.folder.existing(name)
      if !yes { try Confirmation.ask("\(name) is deleted with its settings. Go on?", orFlag: "--yes") }
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
