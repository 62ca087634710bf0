import HearthDatabase
import HearthTree

/// What a request for history asks for.
struct HistorySelection: Sendable, Equatable {
  /// Changes of a page, unless the request says.
  static let limitStandard = 100

  var path = Path.root
  var before: Int64?
  var limit = HistorySelection.limitStandard

  /// - Throws: 400 for a parameter that is not understood.
  init(_ query: URLQuery) throws(RESTFailure) {
    if let text = try query.single("path") {
      guard let location = try? Location(wire: text), !location.isPriority else {
        throw RESTFailure(400, "path must be a place such as /rooms/lobby")
      }
      path = location.path
    }
    if let text = try query.single("before") {
      guard let position = Int64(text), position >= 0 else {
        throw RESTFailure(400, "before must be a position: a whole number from 0 on")
      }
      before = position
    }
    if let text = try query.single("limit") {
      guard let limit = Int(text), (1...HistoryLimits.changesMax).contains(limit) else {
        throw RESTFailure(400, "limit must be from 1 to \(HistoryLimits.changesMax)")
      }
      self.limit = limit
    }
  }
}
