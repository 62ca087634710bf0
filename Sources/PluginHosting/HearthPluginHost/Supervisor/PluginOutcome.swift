import HearthPlugin
import HearthTree

/// The outcome of one request to a plugin.
package enum PluginOutcome: Sendable, Equatable {
  /// The output of the hook.
  case output(JSON)
  /// The plugin reported a failure.
  case failed(PluginFailure)
  /// The plugin did not answer in time.
  case late
  /// The process ended before it answered.
  case died
  /// The request was refused because too many wait already.
  case overloaded
  /// The plugin is not running: switched off, quarantined, or being replaced.
  case down
  /// The service could not be called. The value is the reason, which may be logged.
  case unreachable(String)
  /// The service sent an invalid answer. The value describes it without quoting it.
  case unusable(String)

  /// The outcome in words that follow the plugin's name.
  package var text: String {
    switch self {
    case .output: "answered"
    case .failed(let failure): "failed: \(LogLines.printable(failure.message.utf8.prefix(256)))"
    case .late: "did not answer in time"
    case .died: "ended before it answered"
    case .overloaded: "has too many requests waiting"
    case .down: "is not running"
    case .unreachable(let reason): "could not be reached: \(LogLines.printable(reason.utf8.prefix(256)))"
    case .unusable(let what): "sent \(LogLines.printable(what.utf8.prefix(256)))"
    }
  }
}
