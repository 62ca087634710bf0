import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth plugins list`.
struct PluginsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List plugins with state, restarts, latencies, errors and the effect of a failure.")

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    try await options.run {
      let plugins = try await options.status()
      if options.json {
        return Output.json(
          ["isServed": .bool(plugins.isServed), "plugins": .array(plugins.plugins)])
      }
      guard !plugins.plugins.isEmpty else { return Output.line("no plugins; install one with: hearth plugins add") }
      var table = TextTable(head: [
        "plugin", "version", "state", "restarts", "hook", "requests", "errors", "p50", "p99", "on failure",
      ])
      for plugin in plugins.plugins { for row in Self.rows(plugin) { table.add(row) } }
      Output.line(table.text)
      for plugin in plugins.plugins {
        guard let problem = plugin["problem"]?.string else { continue }
        Output.line("\(plugin["name"]?.string ?? ""): \(TextTable.printable(problem))")
      }
      if !plugins.isServed { Output.note("no server runs on \(try options.data.path())") }
    }
  }

  /// Returns a row for each hook, with the plugin's own cells in the first.
  private static func rows(_ plugin: JSON) -> [[String]] {
    let own = [
      plugin["name"]?.string ?? "", plugin["version"]?.string ?? "", plugin["state"]?.string ?? "",
      "\(plugin["restarts"]?.int ?? 0)",
    ]
    let hooks = plugin["hooks"]?.array ?? []
    guard !hooks.isEmpty else { return [own] }
    return hooks.enumerated().map { index, hook in
      (index == 0 ? own : ["", "", "", ""]) + [
        hook["hook"]?.string ?? "", "\(hook["requests"]?.int ?? 0)", rate(hook), time(hook["p50Microseconds"]),
        time(hook["p99Microseconds"]), hook["onFailure"]?.string ?? "",
      ]
    }
  }

  private static func rate(_ hook: JSON) -> String {
    let (requests, failures) = (hook["requests"]?.int ?? 0, hook["failures"]?.int ?? 0)
    guard requests > 0 else { return "-" }
    let tenths = Int64((Double(failures) * 1_000 / Double(requests)).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }

  private static func time(_ microseconds: JSON?) -> String {
    guard let microseconds = microseconds?.int else { return "-" }
    return "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
  }
}
