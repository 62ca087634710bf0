import HearthPlugin

/// What is to be done for a plugin; the supervisor decides, and does nothing itself.
enum SupervisorEffect: Equatable {
  /// Start the process of this place, and send it these bytes.
  case start(worker: Int)
  /// Send a process these bytes.
  case send(worker: Int, [UInt8])
  /// Close the process's standard input: nothing more comes.
  case close(worker: Int)
  /// Kill the process with all that it started.
  case kill(worker: Int)
  /// Tell who asked.
  case finish(UInt64, PluginOutcome)
  /// Tell the server that tokens which the plugin vouched for count no longer.
  case revoke(TokenRevocation)
  /// A line for the operator.
  case log(isWarning: Bool, String)
}

/// How a plugin is.
package enum PluginHealth: Sendable, Equatable {
  /// At least one process answers.
  case running
  /// None answers yet, or none at the moment.
  case starting
  /// It crashed too often, and is not started again before the operator says so.
  case quarantined(reason: String)
  /// Its service does not answer. It is tried again and again; meanwhile what asks it fails at once.
  case down(reason: String)
  /// It answers what it has, and ends.
  case draining
  /// It has ended.
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
