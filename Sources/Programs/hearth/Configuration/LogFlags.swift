import ArgumentParser
import Glibc
import HearthProgram
import HearthServer
import Logging

/// The flags for the log and the metrics.
struct LogFlags: ParsableArguments {
  @Option(help: "The lowest level of messages to log.")
  var logLevel = LogLevel.info

  @Option(
    help: """
      The format of log lines: text, or json with an object on each line. If not given, log lines on a terminal are \
      formatted for reading, and all others are text.
      """)
  var logFormat: LogFormat?

  @Option(
    help: ArgumentHelp(
      """
      A file whose first line is a token that can only read /.metrics. The server reads a changed file at \
      once.
      """,
      valueName: "file"))
  var metricsTokenFile: String?

  /// Returns the logger.
  ///
  /// - Parameter explainOptions: The options with which `hearth rules explain` finds the server, with a space before
  ///   each.
  func logger(explainOptions: String) -> Logger {
    if let logFormat { return logFormat.logger(logLevel.level) }
    guard isatty(STDERR_FILENO) == 1 else { return LogFormat.text.logger(logLevel.level) }
    return LogFormat.terminalLogger(
      logLevel.level, isColored: Output.isNoteColored, explainOptions: explainOptions)
  }
}

/// The log levels of the logging library, as an option takes them.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}

extension LogFormat: ExpressibleByArgument {}
