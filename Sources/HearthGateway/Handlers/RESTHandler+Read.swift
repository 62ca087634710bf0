import HearthEngine
import HearthTree

extension RESTHandler {
  func read(_ location: Location, _ context: Context, _ source: ReadSource) {
    let context = explaining(context, location.path, source)
    do throws(RESTFailure) {
      try find(location, context, source)
    } catch {
      context.completion(RESTResponse(error))
    }
  }

  private func find(_ location: Location, _ context: Context, _ source: ReadSource) throws(RESTFailure) {
    let request = context.request
    guard let query = request.query else {
      let node = try permittedRead(location, context, source)
      return respond(to: context, with: node) { Self.response(to: request, node) }
    }
    // No index helps here, so there is nothing to ask the engine for.
    guard location.isPriority || query.order == .key else { return select(query, location.path, context, source) }
    let node = try permittedRead(location, context, source)
    // Tools ask for one key to see whether there is anything, and leave a database alone that has nothing.
    if request.isShallow, query.start == nil, query.end == nil, !node.isInterior {
      return respond(to: context, with: node) { Self.response(to: request, node) }
    }
    respond(to: context, with: QueryResult(query, of: node))
  }

  /// The engine keeps the indexes.
  private func select(_ query: Query, _ path: Path, _ context: Context, _ source: ReadSource) {
    get(path, query, from: source, context) { reply in
      switch reply {
      case .result(let result): respond(to: context, with: result)
      case .value(let node):
        let request = context.request
        respond(to: context, with: node) { Self.response(to: request, node) }
      case .failure(let failure): context.completion(RESTResponse(RESTFailure(failure)))
      case .ok, .listening, .written, .stale: context.completion(RESTResponse(.internalError))
      }
    }
  }

  /// Answers with what a query found.
  private func respond(to context: Context, with result: QueryResult) {
    let request = context.request
    if result.childrenReadMax <= LargeValuePool.loopChildrenMax {
      let node = result.node
      return respond(to: context, with: node) { Self.response(to: request, node) }
    }
    answerAway(context) {
      let node = result.node
      return Self.isTooBig(request, node) ? RESTResponse(.tooBig) : Self.response(to: request, node)
    }
  }

  /// Answers with what `make` makes of the node: here when it is small, away from the event loop when it is large, and
  /// with a refusal when it is larger than any answer may be.
  func respond(to context: Context, with node: Node, _ make: @escaping @Sendable () -> RESTResponse) {
    guard JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) else { return context.completion(make()) }
    let request = context.request
    answerAway(context) { Self.isTooBig(request, node) ? RESTResponse(.tooBig) : make() }
  }

  private func answerAway(_ context: Context, _ make: @escaping @Sendable () -> RESTResponse) {
    let (envelope, abandonment) = (context.envelope, context.abandonment)
    services.pool.run(on: hub.loop) {
      // Its turn may come long after the client went away or its time was over.
      abandonment.isDeclared ? RESTResponse(.timedOut) : envelope.wrap(make())
    } completion: { response in
      context.completion(response ?? RESTResponse(.unavailable))
    }
  }

  /// Only the keys are written, so the values' size does not matter.
  private static func isTooBig(_ request: RESTRequest, _ node: Node) -> Bool {
    let isWhole = !request.isShallow && !request.isSilent
    return isWhole && JSONSize.exceeds(node, bytes: DataLimits.readSizeBytesMax)
  }

  private static func response(to request: RESTRequest, _ node: Node) -> RESTResponse {
    let tag = request.wantsETag || request.ifNoneMatch != nil ? ETag.of(node) : nil
    if let tag, request.ifNoneMatch == tag {
      return RESTResponse(status: 304, headers: [(name: "ETag", value: tag)], body: [])
    }
    var response: RESTResponse
    if request.isSilent {
      response = .silent
    } else if request.isShallow, node.isInterior {
      response = RESTResponse(body: keys(of: node, pretty: request.isPretty))
    } else {
      response = RESTResponse(body: request.text(of: node))
    }
    if let tag { response.set(etag: tag) }
    return response
  }

  /// The children's keys, each with `true`.
  private static func keys(of node: Node, pretty: Bool) -> [UInt8] {
    var writer = RESTObjectWriter(pretty: pretty)
    node.forEachChild { key, _ in writer.member(key) { $0.write(true) } }
    return writer.finish()
  }

  /// What is at the location in the last durable state, when the caller may read it.
  func permittedRead(
    _ location: Location, _ context: Context, _ source: ReadSource
  ) throws(RESTFailure) -> Node {
    let node: Node
    do {
      node = try source.state.read(
        location.path, as: context.caller.principal, nowMilliseconds: context.now.wallMilliseconds,
        query: context.request.queryForRules)
    } catch {
      services.denials.log(
        error.decision, path: location.path, principal: context.caller.principal, database: source.name,
        trace: hub.nextTrace())
      throw .permissionDenied
    }
    guard location.isPriority else { return node }
    return node.priority.map { Node($0) } ?? .empty
  }
}

extension RESTRequest {
  /// What rules see as `query`. The service tells them that a read over REST without parameters is ordered by key, and
  /// the same read over a socket is not.
  var queryForRules: Query { query ?? Query(order: .key) }

  /// How data is written for this request.
  var form: JSONForm { isExport ? .export : .plain }

  func text(of node: Node) -> [UInt8] { text(of: node, form) }

  func text(of node: Node, _ form: JSONForm) -> [UInt8] { node.json(form, pretty: isPretty) }
}
