/// Plugins that should run and do not.
package struct PluginCheck: Sendable {
  /// A plugin as a server, or its folder, describes it.
  package struct Plugin: Sendable {
    /// Its name.
    package var name: String
    /// Such as `running`, `quarantined`, `broken`.
    package var state: String
    /// The operator wants it to run.
    package var isEnabled: Bool
    /// The fault, if anything is.
    package var problem: String?
    /// How often it was started again.
    package var restartCount: Int64

    /// As it is described.
    package init(name: String, state: String, isEnabled: Bool, problem: String?, restartCount: Int64) {
      (self.name, self.state, self.isEnabled) = (name, state, isEnabled)
      (self.problem, self.restartCount) = (problem, restartCount)
    }
  }

  /// Those that are installed.
  package var plugins: [Plugin]

  /// - Parameter plugins: those that are installed.
  package init(_ plugins: [Plugin]) { self.plugins = plugins }

  private static let good: Set = ["running", "on demand", "enabled"]

  /// One for each that is down; one for all when none is.
  package var findings: [Finding] {
    guard !plugins.isEmpty else { return [] }
    let wanted = plugins.filter(\.isEnabled)
    let down = wanted.filter { $0.problem != nil || !Self.good.contains($0.state) }
    let findings = down.map { plugin in
      Finding(
        "plugin-down", .error,
        "the plugin \(plugin.name.printable) is \(plugin.state.printable)"
          + (plugin.problem.map { ": \($0.printable)" } ?? ""),
        advice: "read its log: hearth plugins logs \(plugin.name.printable)")
    }
    let restarted = wanted.filter { plugin in plugin.restartCount > 0 && !down.contains { $0.name == plugin.name } }
    let notices = restarted.map { plugin in
      Finding(
        "plugin-restarted", .notice,
        "the plugin \(plugin.name.printable) was started again \(plugin.restartCount) times",
        advice: "read its log: hearth plugins logs \(plugin.name.printable)")
    }
    return down.isEmpty
      ? [Finding(ok: "plugins", "\(wanted.count) plugins are as they should be")] + notices : findings + notices
  }
}
