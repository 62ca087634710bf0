import Glibc
import Logging

/// A log handler that writes each line for a person at a terminal: see ``TerminalLogLine``.
struct TerminalLogHandler: LogHandler {
  let explainOptions: String
  let isColored: Bool
  /// Writes complete lines, from any thread.
  let write: @Sendable ([UInt8]) -> Void
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }
    if let error = event.error { all["error"] = "\(error)" }
    if let own = event.metadata { all.merge(own) { $1 } }
    let line = TerminalLogLine(
      time: Self.timeOfDay, level: event.level, message: "\(event.message)", metadata: all,
      explainOptions: explainOptions, isColored: isColored)
    write(Array(line.text.utf8))
  }

  /// The local time: `18:43:16`.
  private static var timeOfDay: String {
    var (now, parts) = (time(nil), tm())
    localtime_r(&now, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension LogFormat {
  /// Returns a logger for a person at the terminal of standard error.
  ///
  /// - Parameters:
  ///   - isColored: True with colours.
  ///   - explainOptions: The options with which `hearth rules explain` finds this server, with a space before each.
  public static func terminalLogger(_ level: Logger.Level, isColored: Bool, explainOptions: String = "") -> Logger {
    var logger = Logger(label: "hearth") { _ in
      TerminalLogHandler(
        explainOptions: explainOptions, isColored: isColored, write: JSONLogHandler.standardError)
    }
    logger.logLevel = level
    return logger
  }
}
