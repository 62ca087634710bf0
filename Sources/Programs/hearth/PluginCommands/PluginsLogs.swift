import ArgumentParser
import HearthPluginHost
import HearthProgram
import HearthTree

/// The command `hearth plugins logs`.
struct PluginsLogs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Show the last lines of a plugin's log: its standard error, starts and exits.")

  @Argument(help: ArgumentHelp("The plugin.", valueName: "name"))
  var name: String

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The number of lines to show.", valueName: "count"))
  var count = 50

  @OptionGroup var options: PluginsOptions

  func validate() throws {
    guard count > 0 else { throw ValidationError("--count must be 1 or more.") }
  }

  func run() async throws {
    try await options.run {
      _ = try options.folder.existing(name)
      let lines = PluginLogFile.lines(of: name, in: try options.folder, count: count)
      if options.json {
        Output.json(["lines": .array(lines.map { .string($0) })])
      } else {
        for line in lines { Output.line(line) }
      }
    }
  }
}
