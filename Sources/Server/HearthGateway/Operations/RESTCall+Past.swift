import HearthDatabase
import HearthEngine
import HearthTree
import Synchronization

/// A database at a point in history.
struct PastDatabase: Sendable {
  /// The state, with the rules of that time. When only one path was requested, all others are empty.
  var state: DatabaseState
  /// The time of its last commit; nil when that is no longer stored.
  var wallMilliseconds: Int64?
  /// The value of `now` in rules: the requested time, or the time of the named commit. Nil when it is not known.
  var nowMilliseconds: Int64?
}

/// Requests for history: for administrators.
extension RESTCall {
  /// Parses the point in history that a parameter names.
  func moment(_ text: String) throws(RESTFailure) -> HistoryMoment {
    do throws(HistoryMoment.Problem) {
      return try HistoryMoment(text, nowMilliseconds: now.wallMilliseconds)
    } catch {
      throw RESTFailure(400, "at: \(error)")
    }
  }

  /// Reads a database's history when it is this request's turn.
  ///
  /// - Parameter completion: called on this loop with the response of `body`, or with a failure.
  func readHistory(
    _ database: Database,
    _ body: @escaping @Sendable (DatabaseHistory, _ isCancelled: () -> Bool) throws(HistoryError) -> RESTResponse,
    completion: @escaping RESTResponse.Completion
  ) {
    let logger = services.logger
    services.history.run(on: hub.loop, cancellation) { isCancelled in
      do throws(HistoryError) {
        return try body(database.history, isCancelled)
      } catch {
        return RESTResponse(RESTFailure(error, of: database.name, logger))
      }
    } completion: {
      completion($0)
    }
  }

  /// Reconstructs the value at a path, and continues with it on this loop. After a failure the call is answered.
  func withPast(
    of database: Database, at moment: HistoryMoment, _ path: Path, _ body: @escaping (PastDatabase) -> Void
  ) {
    let (initialRules, found) = (services.databases.firstState.rules, PastDatabaseBox())
    readHistory(database) { (history, isCancelled) throws(HistoryError) in
      let position: Int64
      var now: Int64?
      switch moment {
      case .position(let wanted): position = wanted
      case .time(let milliseconds):
        position = try history.position(atMilliseconds: milliseconds)
        now = milliseconds
      }
      let past = try history.state(at: position, of: path, isCancelled: isCancelled)
      var state = past.published(initialRules: initialRules)
      state.root = Node.empty.replacing(path, with: past.node)
      found.set(
        PastDatabase(
          state: state, wallMilliseconds: past.wallMilliseconds, nowMilliseconds: now ?? past.wallMilliseconds))
      return RESTResponse(.null)
    } completion: { response in
      guard response.status == 200, let past = found.value else { return completion(response) }
      body(past)
    }
  }
}

/// The state that was reconstructed on another thread.
private final class PastDatabaseBox: Sendable {
  private let past = Mutex<PastDatabase?>(nil)
  var value: PastDatabase? { past.withLock { $0 } }
  func set(_ past: PastDatabase) { self.past.withLock { $0 = past } }
}
