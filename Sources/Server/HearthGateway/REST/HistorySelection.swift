import HearthDatabase
import HearthTree

/// The selection of a request for history.
struct HistorySelection: Sendable, Equatable {
  /// The default number of changes of a page.
  static let limitStandard = 100

  var path = Path.root
  var before: Int64?
  var limit = HistorySelection.limitStandard

  /// - Throws: 400 for an invalid parameter.
  init(_ query: URLQuery) throws(RESTFailure) {
    if let text = try query.single("path") {
      guard let location = try? Location(wire: text), !location.isPriority else {
        throw RESTFailure(400, "path must be a path such as /rooms/lobby")
      }
      path = location.path
    }
    if let text = try query.single("before") {
      guard let position = Int64(text), position >= 0 else {
        throw RESTFailure(400, "before must be a position, a whole number of 0 or more")
      }
      before = position
    }
    if let text = try query.single("limit") {
      guard let limit = Int(text), (1...HistoryLimits.changesMax).contains(limit) else {
        throw RESTFailure(400, "limit must be a number from 1 to \(HistoryLimits.changesMax)")
      }
      self.limit = limit
    }
  }
}
