import HearthPlugin

/// An action for a plugin; the supervisor decides on it, and the runner carries it out.
enum SupervisorEffect: Equatable {
  /// Start the process of this worker, and send it these bytes.
  case start(worker: Int)
  /// Send a process these bytes.
  case send(worker: Int, [UInt8])
  /// Close the process's standard input: no more bytes come.
  case close(worker: Int)
  /// Kill the process with all that it started.
  case kill(worker: Int)
  /// Resume the request's caller with the outcome.
  case finish(UInt64, PluginOutcome)
  /// Revoke tokens that the plugin had verified.
  case revoke(TokenRevocation)
  /// Log a line for the operator.
  case log(isWarning: Bool, String)
}

/// The health of a plugin.
package enum PluginHealth: Sendable, Equatable {
  /// The plugin has at least one process that answers.
  case running
  /// The plugin has no process that answers yet, or at present.
  case starting
  /// The plugin crashed too often, and is not started again until the operator asks for it.
  case quarantined(reason: String)
  /// The service does not answer. It is greeted again and again; meanwhile requests to it fail at once.
  case down(reason: String)
  /// The plugin answers its remaining requests, and ends.
  case draining
  /// The plugin has ended.
  case stopped

  /// The state's name for operators and scripts.
  package var name: String {
    switch self {
    case .running: "running"
    case .starting: "starting"
    case .quarantined: "quarantined"
    case .down: "down"
    case .draining: "draining"
    case .stopped: "stopped"
    }
  }
}
