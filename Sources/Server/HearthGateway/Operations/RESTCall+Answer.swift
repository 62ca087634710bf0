import HearthEngine
import HearthTree

/// The common parts of operations: reading with the caller's permission, and responding with values of any size.
extension RESTCall {
  /// Returns the value at the location in the last durable state, when the caller may read it.
  func permittedRead(_ location: Location, _ source: ReadSource) throws(RESTFailure) -> Node {
    let node: Node
    let state = source.state
    do {
      node = try state.read(
        location.path, as: caller.principal, nowMilliseconds: now.wallMilliseconds,
        query: request.queryForRules)
      note(location.path, source, state, isAllowed: true)
    } catch {
      note(location.path, source, state, isAllowed: false)
      // A denied read of the past is an administrator's test as another identity: it is not logged.
      if case .past = source { throw .permissionDenied }
      services.denials.log(
        error.decision, path: location.path, principal: caller.principal, database: source.name,
        exists: source.exists, trace: hub.nextTrace(), requestID: origin.requestID)
      throw .permissionDenied
    }
    guard location.isPriority else { return node }
    return node.priority.map { Node($0) } ?? .empty
  }

  /// Reports the decision on a read to the database, for coverage and staged rules.
  private func note(_ path: Path, _ source: ReadSource, _ state: DatabaseState, isAllowed: Bool) {
    guard case .database(let database) = source, !caller.principal.isAdministrator else { return }
    database.noteDecided(
      RecordedDecision(
        .read, path, query: request.queryForRules, as: caller.principal, of: state,
        nowMilliseconds: now.wallMilliseconds, isAllowed: isAllowed))
  }

  /// Responds with the result of `make` for the node: on the loop when it is small, away from it when it is large, and
  /// with a refusal when it is larger than any response may be.
  func respond(with node: Node, _ make: @escaping @Sendable () -> RESTResponse) {
    guard JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) else { return completion(make()) }
    let refuses = refusesAnswer
    answerOnPool { refuses(node) ? RESTResponse(.tooBig) : make() }
  }

  /// The maximum bytes of a response.
  private var answerBytesMax: Int { services.quotas.answerBytesMax(in: request.namespace, for: caller.principal) }

  /// The maximum bytes of an event of a stream.
  var eventBytesMax: Int {
    let quota = answerBytesMax
    return quota < DataLimits.readSizeBytesMax ? quota : DataLimits.eventSizeBytesMax
  }

  /// Returns true when a value is larger than the response may be. To be called away from the event loop.
  var refusesAnswer: @Sendable (Node) -> Bool {
    let (request, quotas, bytesMax) = (request, services.quotas, answerBytesMax)
    return { node in
      guard request.isTooBig(node, bytesMax: bytesMax) else { return false }
      if bytesMax < DataLimits.readSizeBytesMax {
        quotas.note(QuotaRefusal(.answerBytes, bytesMax), in: request.namespace)
      }
      return true
    }
  }

  /// Responds with the result of `make`, which runs away from the event loop.
  func answerOnPool(_ make: @escaping @Sendable () -> RESTResponse) {
    let (envelope, cancellation) = (envelope, cancellation)
    services.pool.run(on: hub.loop) {
      // Its turn may come long after the client disconnected or timed out.
      cancellation.isCancelled ? RESTResponse(.timedOut) : envelope.wrap(make())
    } completion: { response in
      completion(response ?? RESTResponse(.unavailable))
    }
  }
}
