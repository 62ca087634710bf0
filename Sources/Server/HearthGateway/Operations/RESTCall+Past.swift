import HearthDatabase
import HearthEngine
import HearthTree
import Synchronization

/// A database as it was at a moment.
struct PastDatabase: Sendable {
  /// With the rules of then. Where only one place was asked for, all others are empty.
  var state: Published
  /// The time when its last commit was made; nil where that is not kept any more.
  var wallMilliseconds: Int64?
  /// What rules saw as `now`: the moment itself, or the time of the commit that it names. Nil where that is not known.
  var nowMilliseconds: Int64?
}

/// Requests for the past: for administrators.
extension RESTCall {
  /// The moment that a parameter names.
  func moment(_ text: String) throws(RESTFailure) -> HistoryMoment {
    do throws(HistoryMoment.Problem) {
      return try HistoryMoment(text, nowMilliseconds: now.wallMilliseconds)
    } catch {
      throw RESTFailure(400, "at: \(error)")
    }
  }

  /// Has the past of a database read when it is this request's turn.
  ///
  /// - Parameter completion: called on this loop with what `body` answered, or why nothing can be told.
  func lookingBack(
    _ database: Database,
    _ body: @escaping @Sendable (DatabaseHistory, _ isCancelled: () -> Bool) throws(HistoryError) -> RESTResponse,
    completion: @escaping RESTResponse.Completion
  ) {
    let logger = services.logger
    services.history.run(on: hub.loop, abandonment) { isCancelled in
      do throws(HistoryError) {
        return try body(database.history, isCancelled)
      } catch {
        return RESTResponse(RESTFailure(error, of: database.name, logger))
      }
    } completion: {
      completion($0)
    }
  }

  /// Puts together what was at a place, and goes on with it on this loop. Where nothing can be told, the call is answered.
  func withPast(
    of database: Database, at moment: HistoryMoment, _ path: Path, _ body: @escaping (PastDatabase) -> Void
  ) {
    let (initialRules, found) = (services.databases.firstState.rules, FoundPast())
    lookingBack(database) { (history, isCancelled) throws(HistoryError) in
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

/// What was put together on another thread.
private final class FoundPast: Sendable {
  private let past = Mutex<PastDatabase?>(nil)
  var value: PastDatabase? { past.withLock { $0 } }
  func set(_ past: PastDatabase) { self.past.withLock { $0 = past } }
}
