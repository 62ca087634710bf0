import HearthDatabase
import Logging

extension DatabaseNotice {
  /// Logs the notice for the operator.
  ///
  /// - Parameter name: the database's.
  func log(_ name: String, _ logger: Logger) {
    let line = line
    var metadata: Logger.Metadata = ["database": "\(name)"]
    for (name, value) in line.details { metadata[name] = "\(value)" }
    logger.log(level: Logger.Level(line.level), "\(line.text)", metadata: metadata)
  }
}

extension Logger.Level {
  fileprivate init(_ level: DatabaseNotice.Line.Level) {
    self =
      switch level {
      case .debug: .debug
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }
}
