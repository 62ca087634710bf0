import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree
import Synchronization

/// `GET` of data with `at`: what was there at a moment of the past. For administrators; with `auth_variable_override` the
/// rules of then decide, over the data of then and with the clock of then.
///
/// The answer is that of a read, with two headers more: `X-Hearth-Position`, the commit after which the state was so, and
/// `X-Hearth-Time`, its time, where that is kept.
struct PastRead {
  let call: RESTCall
  let location: Location
  /// The moment as the request names it.
  let text: String

  func answer() throws(RESTFailure) {
    try call.requireAdministratorBehind()
    let moment = try call.moment(text)
    call.withReading { source in
      guard case .database(let database) = source else {
        return DataRead(call: call, location: location, source: source).answer()
      }
      look(at: moment, database)
    }
  }

  private func look(at moment: HistoryMoment, _ database: Database) {
    // Rules may look anywhere.
    let path = call.caller.principal.isAdministrator ? location.path : .root
    let (initialRules, found) = (call.services.databases.firstState.rules, Found())
    call.lookingBack(database) { (history, isCancelled) throws(HistoryError) in
      let position: Int64
      switch moment {
      case .position(let wanted): position = wanted
      case .time(let milliseconds): position = try history.position(atMilliseconds: milliseconds)
      }
      let past = try history.state(at: position, of: path, isCancelled: isCancelled)
      var state = past.published(initialRules: initialRules)
      state.root = Node.empty.replacing(path, with: past.node)
      found.set(state, past.wallMilliseconds)
      return RESTResponse(.null)
    } completion: { response in
      guard response.status == 200, let (state, time) = found.value else { return call.completion(response) }
      respond(state, time, moment, database)
    }
  }

  private func respond(_ state: Published, _ time: Int64?, _ moment: HistoryMoment, _ database: Database) {
    var call = call
    if case .time(let milliseconds) = moment {
      call.now.wallMilliseconds = milliseconds
    } else if let time {
      call.now.wallMilliseconds = time
    }
    let completion = call.completion
    var headers = [(name: "X-Hearth-Position", value: "\(state.position)")]
    if let time { headers.append((name: "X-Hearth-Time", value: Timestamp.text(milliseconds: time))) }
    let refusal = refusal(call, state)
    call.completion = { response in
      var response = response
      if response.status == 401, let refusal { response = refusal }
      response.headers += headers
      completion(response)
    }
    DataRead(call: call, location: location, source: .past(name: database.name, state)).answer()
  }

  /// What is answered when the rules do not let somebody read: beside the error why, for programs in `explanation` and for
  /// people in `text`. Who asks is an administrator who acts as that somebody.
  private func refusal(_ call: RESTCall, _ state: Published) -> RESTResponse? {
    let (request, principal) = (call.request, call.caller.principal)
    guard !principal.isAdministrator else { return nil }
    let read = ReadRequest(
      path: location.path, root: state.root, auth: principal.auth, nowMilliseconds: call.now.wallMilliseconds,
      query: request.queryForRules)
    let decision = state.rules.withExpressions.traced(.read(read), stepsMax: RulesLimits.explainStepsMax)
    guard let decision, !decision.isAllowed else { return nil }
    let explanation = Explanation(operation: "read", path: location.path, decision: decision)
    let answer = JSON.object([
      .init("error", .string(RESTFailure.permissionDenied.text)), .init("explanation", explanation.json),
      .init("text", .string(explanation.rendered(file: explanation.file, isColored: request.isColored))),
    ])
    var response = RESTResponse(answer, pretty: request.isPretty)
    response.status = RESTFailure.permissionDenied.status
    return response
  }

  /// What was put together on another thread.
  private final class Found: Sendable {
    private let state = Mutex<(Published, Int64?)?>(nil)
    var value: (Published, Int64?)? { state.withLock { $0 } }
    func set(_ state: Published, _ time: Int64?) { self.state.withLock { $0 = (state, time) } }
  }
}

extension RESTCall {
  /// - Throws: a refusal, for callers that are no administrators, also none who act as somebody else.
  func requireAdministratorBehind() throws(RESTFailure) {
    guard caller.principal.isAdministrator || caller.principal.isOverridden else { throw .unauthorized }
  }

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
}
