import HearthPlugin
import HearthTree

/// How a plugin is, for operators.
package struct PluginStatus: Sendable, Equatable {
  /// What a hook was asked so far, and how that went.
  package struct Hook: Sendable, Equatable {
    /// The hook.
    package var hook: PluginHook
    /// Requests since the plugin's start.
    package var requestCount = 0
    /// Those that came to no answer.
    package var failureCount = 0
    /// Half of the last requests took no longer; nil before the first.
    package var p50Microseconds: Int64?
    /// Of a hundred of the last requests, 99 took no longer.
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
  /// The version that runs, or would.
  package var version: String?
  /// The version that a roll-back leads to.
  package var previous: String?
  /// The operator wants it to run.
  package var isEnabled: Bool
  /// Such as `running`, `quarantined`, `disabled`, `broken`, `installed`.
  package var state: String
  /// What is wrong; nil where nothing is.
  package var problem: String?
  /// The SHA-256 of its files.
  package var checksum: String?
  /// The URL of the service that it is; nil of one that runs in processes of its own.
  package var url: String?
  /// Processes that were started again; of a service, how often it was there again.
  package var restartCount = 0
  /// In the manifest's order.
  package var hooks: [Hook] = []

  /// The state of a plugin that is only there.
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
    if state == "enabled", !hooks.contains(where: \.hook.isAskedByServer) { state = "on demand" }
  }

  /// The state of a plugin that is switched on and cannot run.
  init(broken name: String, problem: String?) {
    self.name = name
    self.problem = problem
    (isEnabled, state) = (true, "broken")
  }

  /// As scripts read it.
  package var json: JSON {
    func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
    return [
      "name": .string(name), "version": text(version), "previous": text(previous), "isEnabled": .bool(isEnabled),
      "state": .string(state), "problem": text(problem), "checksum": text(checksum), "url": text(url),
      "restarts": .int(Int64(restartCount)), "hooks": .array(hooks.map(\.json)),
    ]
  }
}
