import HearthEngine
import HearthTree

/// The operation `GET` of data: the value at a path, the children that a query selects, or their keys.
struct DataRead {
  let call: RESTCall
  let location: Location
  let source: ReadSource

  func answer() {
    call.explainingRead(of: location.path, from: source) {
      DataRead(call: $0, location: location, source: source).find()
    }
  }

  private func find() {
    let request = call.request
    guard let query = request.query else { return call.permittedRead(location, source) { respond(with: $0) } }
    // No index helps here, so the engine is not called.
    guard location.isPriority || query.order == .key else { return select(query) }
    call.permittedRead(location, source) { node in
      // Tools request one key to find out whether a database is empty, and skip an empty one.
      if request.isShallow, query.start == nil, query.end == nil, !node.isInterior { return respond(with: node) }
      respond(with: QueryResult(query, of: node))
    }
  }

  /// Runs a query in the engine, which keeps the indexes.
  private func select(_ query: Query) {
    call.get(location.path, query, from: source) { reply in
      switch reply {
      case .result(let result): respond(with: result)
      case .value(let node): respond(with: node)
      case .failure(let failure): call.completion(RESTResponse(RESTFailure(failure)))
      case .ok, .listening, .written, .stale: call.completion(RESTResponse(.internalError))
      }
    }
  }

  private func respond(with node: Node) {
    let request = call.request
    call.respond(with: node) { Self.response(to: request, node) }
  }

  /// Responds with the result of a query.
  private func respond(with result: QueryResult) {
    let lane = PoolQueue.Lane(result)
    if lane == .short, let node = FaultScope.resident({ result.node }) { return respond(with: node) }
    let (request, refuses) = (call.request, call.refusesAnswer)
    call.answerOnPool(lane) {
      let node = result.node
      return refuses(node) ? RESTResponse(.tooBig) : Self.response(to: request, node)
    }
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

  /// Returns the children's keys, each with `true`.
  private static func keys(of node: Node, pretty: Bool) -> [UInt8] {
    var writer = RESTObjectWriter(pretty: pretty)
    node.forEachChild { key, _ in writer.member(key) { $0.write(true) } }
    return writer.finish()
  }
}

extension RESTRequest {
  /// The value of `query` in rules. In Firebase, a read over REST without parameters is ordered by key there, and the same read
  /// over a socket is not.
  var queryForRules: Query { query ?? Query(order: .key) }

  /// The JSON form of data for this request.
  var form: JSONForm { isExport ? .export : .plain }

  func text(of node: Node) -> [UInt8] { text(of: node, form) }

  func text(of node: Node, _ form: JSONForm) -> [UInt8] { node.json(form, layout: layout) }

  /// Returns true when the response would be larger than allowed. When only the keys are written, the values' size does
  /// not matter.
  func isTooBig(_ node: Node, bytesMax: Int) -> Bool {
    let isWhole = !isShallow && !isSilent
    return isWhole && JSONSize.exceeds(node, bytes: bytesMax)
  }
}
