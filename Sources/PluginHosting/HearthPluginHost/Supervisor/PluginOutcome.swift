import HearthPlugin
import HearthTree

/// What became of one request to a plugin.
package enum PluginOutcome: Sendable, Equatable {
  /// What the hook came to.
  case output(JSON)
  /// The plugin's own word that it could not.
  case failed(PluginFailure)
  /// It did not answer in time.
  case late
  /// Its process ended before it answered.
  case died
  /// Too many requests wait already.
  case overloaded
  /// It is not running: switched off, given up, or being replaced.
  case down
  /// Its service could not be asked. The reason, which may be logged.
  case unreachable(String)
  /// Its service answered something that is no answer. What that was, without any of it.
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
    case .unreachable(let reason): "could not be asked: \(LogLines.printable(reason.utf8.prefix(256)))"
    case .unusable(let what): "answered \(LogLines.printable(what.utf8.prefix(256)))"
    }
  }
}
