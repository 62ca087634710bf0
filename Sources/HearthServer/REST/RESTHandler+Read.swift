import HearthEngine
import HearthTree

extension RESTHandler {
  func read(_ location: Location, _ context: Context, _ database: Database) throws(RESTFailure) {
    let request = context.request
    let node = try permittedRead(location, context, database)
    respond(to: context, with: node) { Self.response(to: request, node) }
  }

  /// Answers with what `make` makes of the node: here when it is small, away from the event loop when it is large, and
  /// with a refusal when it is larger than any answer may be.
  func respond(to context: Context, with node: Node, _ make: @escaping @Sendable () -> RESTResponse) {
    guard JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) else { return context.completion(make()) }
    // What is not written out may be as large as it likes.
    let isWhole = !context.request.isShallow && !context.request.isSilent
    services.pool.run(on: hub.loop) {
      isWhole && JSONSize.exceeds(node, bytes: DataLimits.readSizeBytesMax) ? RESTResponse(.tooBig) : make()
    } completion: { response in
      context.completion(response ?? RESTResponse(.unavailable))
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
      let members = node.children.map { JSON.Member($0.key.text, .bool(true)) }
      response = RESTResponse(body: JSON.object(members).text(pretty: request.isPretty))
    } else {
      response = RESTResponse(body: request.text(of: node))
    }
    if let tag { response.set(etag: tag) }
    return response
  }

  /// What is at the location in the last durable state, when the caller may read it.
  func permittedRead(
    _ location: Location, _ context: Context, _ database: Database
  ) throws(RESTFailure) -> Node {
    let node: Node
    do {
      node = try database.published.read(
        location.path, as: context.caller.identity, nowMilliseconds: context.now.wallMilliseconds)
    } catch {
      services.denials.log(
        error.decision, path: location.path, identity: context.caller.identity, database: database.name,
        trace: hub.nextTrace())
      throw .permissionDenied
    }
    guard location.isPriority else { return node }
    return node.priority.map { Node($0) } ?? .empty
  }
}

extension RESTRequest {
  /// How data is written for this request.
  var form: JSONForm { isExport ? .export : .plain }

  func text(of node: Node) -> [UInt8] {
    var writer = JSONWriter(pretty: isPretty)
    writer.write(node, form)
    return writer.bytes
  }
}
