import HearthDatabase
import Logging

extension RESTFailure {
  /// Creates the response to an authorized client whose request for the past fails. Damage of a file is only logged.
  init(_ error: HistoryError, of database: String, _ logger: Logger) {
    switch error {
    case .notRetained, .notReached, .tooLarge: self.init(400, "at: \(error)")
    case .cancelled: self = .timedOut
    case .journal, .record:
      logger.error("history cannot be read", metadata: ["database": "\(database)", "error": "\(error)"])
      self.init(500, "The history of the database cannot be read. See the server's log for the reason.")
    }
  }
}
