import HearthEngine
import HearthTree

/// What a writing request asks of the engine, and how its success is told.
struct RESTWrite: Sendable {
  let operation: WriteOperation
  /// Where ``operation`` writes; its priority when that is what is written.
  let location: Location
  /// From the node that is at the operation's path afterwards.
  let answer: @Sendable (Node) -> RESTResponse

  /// Reads the request's body.
  ///
  /// - Parameter name: the push id that a POST writes under.
  init(_ request: RESTRequest, at location: Location, name: String) throws(RESTFailure) {
    switch request.method {
    case .put:
      let value = try RESTBody.value(request.body, for: location)
      self.init(request, .put(location, value), at: location) { Self.answer(request, Self.value(of: $0, location)) }
    case .delete:
      self.init(request, .put(location, WriteValue(.empty)), at: location) { _ in Self.answer(request, .empty) }
    case .post:
      guard !location.isPriority else { throw .invalidPath }
      let child = Location(path: location.path.appending(Key(name)))
      let value = try RESTBody.value(request.body, for: child)
      self.init(request, .put(child, value), at: child) { Self.answer(request, name: name, $0) }
    case .patch:
      guard !location.isPriority else { throw .invalidPath }
      if let writes = try RESTBody.merge(request.body, at: location.path) {
        self.init(request, .merge(location.path, writes), at: location) { Self.answer(request, writes, $0) }
      } else {
        self.init(request, .put(location, WriteValue(.empty)), at: location) { _ in Self.answer(request, .empty) }
      }
    case .get, .head, .options: throw .methodNotAllowed
    }
  }

  private init(
    _ request: RESTRequest, _ change: WriteOperation.Change, at location: Location,
    _ answer: @escaping @Sendable (Node) -> RESTResponse
  ) {
    operation = WriteOperation(change, expectedHash: request.ifMatch.map(ETag.expectedHash))
    self.location = location
    self.answer = answer
  }
}

extension RESTWrite {
  private static func value(of node: Node, _ location: Location) -> Node {
    location.isPriority ? node.priority.map { Node($0) } ?? .empty : node
  }

  private static func answer(_ request: RESTRequest, _ node: Node) -> RESTResponse {
    // Clients with a conditional write take nothing but 200 for success.
    let isSilent = request.isSilent && request.ifMatch == nil
    var response = isSilent ? .silent : RESTResponse(body: request.text(of: node))
    if request.wantsETag || request.ifMatch != nil { response.set(etag: ETag.of(node)) }
    return response
  }

  private static func answer(_ request: RESTRequest, name: String, _ node: Node) -> RESTResponse {
    let body = JSON.object([.init("name", .string(name))]).text(pretty: request.isPretty)
    var response = request.isSilent ? .silent : RESTResponse(body: body)
    if request.wantsETag { response.set(etag: ETag.of(node)) }
    return response
  }

  /// The object of a PATCH with its server values filled in: the names as paths, the values from what is there now.
  private static func answer(_ request: RESTRequest, _ writes: [Write], _ node: Node) -> RESTResponse {
    if request.isSilent { return .silent }
    var writer = JSONWriter(pretty: request.isPretty)
    writer.write(raw: "{")
    for (i, write) in writes.enumerated() {
      if i > 0 { writer.write(raw: ",") }
      writer.write(String(write.location.description.dropFirst()))
      writer.write(raw: ":")
      let place = Location(path: Path(), isPriority: write.location.isPriority)
      writer.write(value(of: node[write.location.path], place), request.form)
    }
    writer.write(raw: "}")
    return RESTResponse(body: writer.bytes)
  }
}
