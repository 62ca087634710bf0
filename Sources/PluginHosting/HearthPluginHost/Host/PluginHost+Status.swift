/// The status of plugins.
extension PluginHost {
  /// Returns the status of every plugin of the folder. Blocks for files.
  package func statuses() -> [PluginStatus] {
    let (entries, problems) = state.withLock { ($0.entries, $0.problems) }
    return folder.plugins().map { plugin in
      var status = PluginStatus(plugin)
      if let entry = entries[plugin.name] { status.note(entry.handle) }
      if let problem = problems[plugin.name] {
        status.problem = problem
        if entries[plugin.name] == nil { status.state = "broken" }
      }
      return status
    }
  }

  /// Returns the status of the plugins that are switched on, in order of name, without reading files.
  package func enabledStatuses() -> [PluginStatus] {
    let (entries, problems) = state.withLock { ($0.entries, $0.problems) }
    var statuses = entries.values.map { entry in
      var status = PluginStatus(entry.plugin)
      status.note(entry.handle)
      return status
    }
    for name in problems.keys where entries[name] == nil {
      statuses.append(PluginStatus(broken: name, problem: problems[name]))
    }
    return statuses.sorted { $0.name < $1.name }
  }
}

extension PluginStatus {
  /// Adds the health and the figures of the running plugin.
  fileprivate mutating func note(_ handle: PluginHandle) {
    let runner = handle.runner
    let (health, statistics) = (runner.health, runner.statistics)
    refusedCount = handle.refusedCount
    state = health.name
    switch health {
    case .quarantined(let reason), .down(let reason): problem = reason
    case .running, .starting, .draining, .stopped: break
    }
    restartCount = statistics.restartCount
    for index in hooks.indices {
      guard let record = statistics[hooks[index].hook] else { continue }
      hooks[index].requestCount = record.requestCount
      hooks[index].failureCount = record.failureCount
      hooks[index].p50Microseconds = record.percentile(50)
      hooks[index].p99Microseconds = record.percentile(99)
    }
  }
}
