/// The enabled plugins that do not run.
package struct PluginCheck: Sendable {
  /// A plugin as a server, or its folder, describes it.
  package struct Plugin: Sendable {
    /// The name of the plugin.
    package var name: String
    /// The state, such as `running`, `quarantined` or `broken`.
    package var state: String
    /// True when the operator has enabled it.
    package var isEnabled: Bool
    /// The fault; nil when there is none.
    package var problem: String?
    /// The number of its restarts.
    package var restartCount: Int64

    /// Creates a plugin with these values.
    package init(name: String, state: String, isEnabled: Bool, problem: String?, restartCount: Int64) {
      (self.name, self.state, self.isEnabled) = (name, state, isEnabled)
      (self.problem, self.restartCount) = (problem, restartCount)
    }
  }

  /// The installed plugins.
  package var plugins: [Plugin]

  /// - Parameter plugins: The installed plugins.
  package init(_ plugins: [Plugin]) { self.plugins = plugins }

  private static let good: Set = ["running", "on demand", "enabled"]

  /// The findings: one for each failed plugin, or a single good one.
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
        "the plugin \(plugin.name.printable) was restarted \(plugin.restartCount) times",
        advice: "read its log: hearth plugins logs \(plugin.name.printable)")
    }
    return down.isEmpty
      ? [Finding(ok: "plugins", "\(wanted.count) enabled plugins work")] + notices : findings + notices
  }
}
