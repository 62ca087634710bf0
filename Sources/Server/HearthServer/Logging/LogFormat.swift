import HearthTransport
import Logging

/// The format of the log's lines on standard error.
public enum LogFormat: String, CaseIterable, Sendable {
  /// Text for a terminal.
  case text
  /// A JSON object on each line, for log collectors.
  case json

  /// Returns a logger of this format. Lines of a request have its id.
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
