import HearthEngine
import HearthTree

/// What several operations do: read what the caller may see, and answer with it, however large it is.
extension RESTCall {
  /// What is at the location in the last durable state, when the caller may read it.
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
      // Who asks what somebody else could have read is told, and not the log.
      if case .past = source { throw .permissionDenied }
      services.denials.log(
        error.decision, path: location.path, principal: caller.principal, database: source.name,
        isMade: source.isMade, trace: hub.nextTrace(), requestID: origin.requestID)
      throw .permissionDenied
    }
    guard location.isPriority else { return node }
    return node.priority.map { Node($0) } ?? .empty
  }

  /// Tells the database what the rules said to the read, in case somebody counts or judges that.
  private func note(_ path: Path, _ source: ReadSource, _ state: Published, isAllowed: Bool) {
    guard case .database(let database) = source, !caller.principal.isAdministrator else { return }
    database.noteDecided(
      DecidedCase(
        .read, path, query: request.queryForRules, as: caller.principal, of: state,
        nowMilliseconds: now.wallMilliseconds, isAllowed: isAllowed))
  }

  /// Answers with what `make` makes of the node: here when it is small, away from the event loop when it is large, and
  /// with a refusal when it is larger than any answer may be.
  func respond(with node: Node, _ make: @escaping @Sendable () -> RESTResponse) {
    guard JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) else { return completion(make()) }
    let refuses = refusesAnswer
    answerAway { refuses(node) ? RESTResponse(.tooBig) : make() }
  }

  /// Bytes that an answer may have.
  private var answerBytesMax: Int { services.quotas.answerBytesMax(in: request.namespace, for: caller.principal) }

  /// Bytes that an event of a stream may have.
  var eventBytesMax: Int {
    let quota = answerBytesMax
    return quota < DataLimits.readSizeBytesMax ? quota : DataLimits.eventSizeBytesMax
  }

  /// True when a value is larger than the answer may be. To be asked away from the event loop.
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

  /// Answers with what `make` makes away from the event loop.
  func answerAway(_ make: @escaping @Sendable () -> RESTResponse) {
    let (envelope, abandonment) = (envelope, abandonment)
    services.pool.run(on: hub.loop) {
      // Its turn may come long after the client went away or its time was over.
      abandonment.isDeclared ? RESTResponse(.timedOut) : envelope.wrap(make())
    } completion: { response in
      completion(response ?? RESTResponse(.unavailable))
    }
  }
}
