import HearthPlugin
import HearthTree

/// A plugin's status for operators.
package struct PluginStatus: Sendable, Equatable {
  /// The figures of one hook.
  package struct Hook: Sendable, Equatable {
    /// The hook.
    package var hook: PluginHook
    /// Requests since the plugin's start.
    package var requestCount = 0
    /// The number of requests that failed.
    package var failureCount = 0
    /// The median duration of the last requests; nil before the first.
    package var p50Microseconds: Int64?
    /// The 99th percentile of the last requests' durations; nil before the first.
    package var p99Microseconds: Int64?

    fileprivate var json: JSON {
      func number(_ value: Int64?) -> JSON { value.map { .int($0) } ?? .null }
      return [
        "hook": .string(hook.rawValue), "requests": .int(Int64(requestCount)), "failures": .int(Int64(failureCount)),
        "p50Microseconds": number(p50Microseconds), "p99Microseconds": number(p99Microseconds),
        "onFailure": .string(hook.failurePolicy),
      ]
    }
  }

  /// The plugin's name.
  package var name: String
  /// The version that runs, or would run.
  package var version: String?
  /// The version that a roll-back returns to.
  package var previous: String?
  /// True when the operator has switched the plugin on.
  package var isEnabled: Bool
  /// The state's name: `running`, `quarantined`, `disabled`, `broken`, `installed`, ….
  package var state: String
  /// The problem in words; nil when there is none.
  package var problem: String?
  /// The SHA-256 of its files.
  package var checksum: String?
  /// The URL of a service; nil for a plugin that runs in processes of its own.
  package var url: String?
  /// The number of restarted processes; for a service, the number of times that it became available again.
  package var restartCount = 0
  /// The number of requests that were not sent to the plugin, because too many waited for too long.
  package var refusedCount = 0
  /// The hooks in the manifest's order.
  package var hooks: [Hook] = []

  /// Creates the status of an installed plugin without its runner.
  package init(_ plugin: InstalledPlugin) {
    name = plugin.name
    version = plugin.record?.current
    previous = plugin.record?.previous
    isEnabled = plugin.record?.isEnabled ?? false
    problem = plugin.problem
    if case .webhook(let service)? = plugin.manifest?.carrier { url = service.url }
    checksum = plugin.record.flatMap { $0.versions[$0.current]?.digest.hex }
    state = plugin.problem != nil ? "broken" : isEnabled ? "enabled" : "disabled"
    hooks = (plugin.manifest?.hooks ?? plugin.record.flatMap { $0.versions[$0.current]?.hooks } ?? []).map {
      Hook(hook: $0)
    }
    if state == "enabled", !hooks.contains(where: \.hook.isCalledByServer) { state = "on demand" }
  }

  /// Creates the status of a plugin that is switched on and cannot run.
  init(broken name: String, problem: String?) {
    self.name = name
    self.problem = problem
    (isEnabled, state) = (true, "broken")
  }

  /// The status as JSON for scripts.
  package var json: JSON {
    func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    return [
      "name": .string(name), "version": text(version), "previous": text(previous), "isEnabled": .bool(isEnabled),
      "state": .string(state), "problem": text(problem), "checksum": text(checksum), "url": text(url),
      "restarts": .int(Int64(restartCount)), "hooks": .array(hooks.map(\.json)),
    ]
  }
}
