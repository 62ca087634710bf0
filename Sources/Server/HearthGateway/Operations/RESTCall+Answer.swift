import HearthEngine
import HearthTree

/// The common parts of operations: reading with the caller's permission, and responding with values of any size.
extension RESTCall {
  /// The client of the request's work on the pool.
  var poolClient: PoolClient {
    PoolClient(
      claimant: ShareClaimant(
        account: caller.principal.uid, network: origin.network, isAdministrator: caller.principal.readsAll))
  }

  /// Reads the value at the location in the last durable state, when the caller may read it.
  ///
  /// - Parameter body: called on this loop with the value. After a refusal the call is answered.
  func permittedRead(_ location: Location, _ source: ReadSource, _ body: @escaping (Node) -> Void) {
    let state = source.state
    read(location, state) { result in
      switch result {
      case .success(let node)?:
        note(location.path, source, state, isAllowed: true)
        body(node)
      case .failure(let refusal)?:
        note(location.path, source, state, isAllowed: false)
        // A denied read of the past is an administrator's test as another identity: it is not logged.
        if case .past = source { return completion(RESTResponse(.permissionDenied)) }
        services.denials.log(
          refusal.decision, path: location.path, principal: caller.principal, database: source.name,
          exists: source.exists, trace: hub.nextTrace(), requestID: origin.requestID)
        completion(RESTResponse(.permissionDenied))
      case nil: completion(RESTResponse(.unavailable))
      }
    }
  }

  /// Lets the rules decide on a read, and looks the value up.
  ///
  /// - Parameter completion: called on this loop; with nil when data cannot be read.
  private func read(
    _ location: Location, _ state: DatabaseState, completion: @escaping (Result<Node, ReadRefusal>?) -> Void
  ) {
    let (principal, milliseconds, query) = (caller.principal, now.wallMilliseconds, request.queryForRules)
    let read: @Sendable (DatabaseState) -> Result<Node, ReadRefusal> = { state in
      Result { () throws(ReadRefusal) in
        let node = try state.read(location.path, as: principal, nowMilliseconds: milliseconds, query: query)
        return location.isPriority ? node.priorityNode : node
      }
    }
    let isCounted = state.rules.coverage != nil
    services.pool.read(on: hub.loop, for: poolClient) {
      var state = state
      state.rules = state.rules.withoutCounting
      return read(state)
    } completion: { result in
      // The rules count only decisions on complete data, all of which is in memory now.
      completion(isCounted && result != nil ? read(state) : result)
    }
  }

  /// Reports the decision on a read to the database, for coverage and staged rules.
  private func note(_ path: Path, _ source: ReadSource, _ state: DatabaseState, isAllowed: Bool) {
    guard case .database(let database) = source, !caller.principal.isAdministrator else { return }
    database.noteDecided(
      RecordedDecision(
        .read, path, query: request.queryForRules, as: caller.principal, of: state,
        nowMilliseconds: now.wallMilliseconds, isAllowed: isAllowed))
  }

  /// Responds with the result of `make` for the node: on the loop when it is small and in memory, otherwise away from
  /// it, and with a refusal when it is larger than any response may be.
  func respond(with node: Node, _ make: @escaping @Sendable () -> RESTResponse) {
    guard LargeValuePool.takes(node) else { return completion(make()) }
    let refuses = refusesAnswer
    answerOnPool(PoolQueue.Lane(node)) { refuses(node) ? RESTResponse(.tooBig) : make() }
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
  func answerOnPool(_ lane: PoolQueue.Lane, _ make: @escaping @Sendable () -> RESTResponse) {
    let (envelope, cancellation) = (envelope, cancellation)
    services.pool.run(on: hub.loop, for: poolClient, lane: lane) {
      // Its turn may come long after the client disconnected or timed out.
      cancellation.isCancelled ? RESTResponse(.timedOut) : envelope.wrap(make())
    } completion: { response in
      completion(response ?? RESTResponse(.unavailable))
    }
  }
}
