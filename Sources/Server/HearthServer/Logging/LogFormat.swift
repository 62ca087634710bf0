import HearthTransport
import Logging

/// How lines of the log are written to standard error.
public enum LogFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// A JSON object a line, for programs that collect logs.
  case json

  /// A logger of this format. What a request causes says which request it was.
  public func logger(_ level: Logger.Level) -> Logger {
    let request = Logger.MetadataProvider { RequestContext.id.map { ["request": "\($0)"] } ?? [:] }
    var logger = Logger(label: "hearth") { label in
      switch self {
      case .text: StreamLogHandler.standardError(label: label, metadataProvider: request)
      case .json: JSONLogHandler(label: label, write: JSONLogHandler.standardError, metadataProvider: request)
      }
    }
    logger.logLevel = level
    return logger
  }
}
