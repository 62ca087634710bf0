import HearthEngine
import HearthTree

/// The write of a request, with the response to its success.
struct RESTWrite: Sendable {
  let operation: WriteOperation
  /// The location where ``operation`` writes; its priority when that is written.
  let location: Location
  /// Returns the response to the node that is at the operation's path afterwards; nil when its writer may not read it.
  /// The response then has the request's own text, with its placeholders, and no tag.
  let answer: @Sendable (Node?) -> RESTResponse

  /// Parses the request's body.
  ///
  /// - Parameter name: the push id that a POST writes under.
  init(_ request: RESTRequest, at location: Location, name: String) throws(RESTFailure) {
    switch request.method {
    case .put:
      let value = try RESTBody.value(request.body, for: location)
      let form = Self.form(request, [value.node])
      let shown = Self.tagPaths(request, location) + value.derivedPaths(at: location.path)
      self.init(request, .put(location, value), at: location, showing: shown) {
        Self.answer(request, $0.map { Self.value(of: $0, location) }, form)
      }
    case .delete:
      self.init(deleting: location, request)
    case .post:
      guard !location.isPriority else { throw .invalidPath }
      let child = Location(path: location.path.appending(Key(name)))
      let value = try RESTBody.value(request.body, for: child)
      // The new name had no value, so the response reveals no earlier data.
      self.init(request, .put(child, value), at: child, showing: Self.tagPaths(request, child)) {
        Self.answer(request, name: name, $0)
      }
    case .patch:
      guard !location.isPriority else { throw .invalidPath }
      guard let writes = try RESTBody.merge(request.body, at: location.path) else {
        self.init(deleting: location, request)
        return
      }
      let form = Self.form(request, writes.map(\.value.node))
      let shown = writes.flatMap { $0.value.derivedPaths(at: location.path.appending($0.location.path)) }
      self.init(request, .merge(location.path, writes), at: location, showing: shown) {
        Self.answer(request, writes, $0, form)
      }
    case .get, .head, .options: throw .methodNotAllowed
    }
  }

  private init(deleting location: Location, _ request: RESTRequest) {
    self.init(request, .put(location, WriteValue(.empty)), at: location, showing: []) { _ in
      Self.answer(request, .empty, request.form)
    }
  }

  /// - Parameter shown: the paths that the response shows, beside the writer's own data.
  private init(
    _ request: RESTRequest, _ change: WriteOperation.Change, at location: Location, showing shown: [Path],
    _ answer: @escaping @Sendable (Node?) -> RESTResponse
  ) {
    operation = WriteOperation(
      change, expectedHash: request.ifMatch.map(ETag.expectedHash), shownPaths: shown)
    self.location = location
    self.answer = answer
  }

  /// True when the write only deletes.
  var onlyDeletes: Bool {
    switch operation.change {
    case .put(_, let value): value.node.isEmpty
    case .merge(_, let writes): !writes.isEmpty && writes.allSatisfy(\.value.node.isEmpty)
    }
  }
}

extension RESTWrite {
  private static func value(of node: Node, _ location: Location) -> Node {
    location.isPriority ? node.priorityNode : node
  }

  /// Returns the form of the response: a writer that sets priorities gets them.
  private static func form(_ request: RESTRequest, _ nodes: [Node]) -> JSONForm {
    let isPrioritised = RESTBody.mayHavePriorities(request.body) && nodes.contains(where: \.hasPriorities)
    return isPrioritised ? .export : request.form
  }

  /// Returns true when the response has the tag of the written value.
  private static func isTagged(_ request: RESTRequest) -> Bool {
    request.method != .patch && (request.wantsETag || request.ifMatch != nil)
  }

  private static func tagPaths(_ request: RESTRequest, _ location: Location) -> [Path] {
    isTagged(request) ? [location.path] : []
  }

  private static func answer(_ request: RESTRequest, _ node: Node?, _ form: JSONForm) -> RESTResponse {
    // Clients with a conditional write accept only 200 as success.
    let isSilent = request.isSilent && request.ifMatch == nil
    guard let node else { return isSilent ? .silent : asSent(request) }
    var response = isSilent ? .silent : RESTResponse(body: request.text(of: node, form))
    if isTagged(request) { response.set(etag: ETag.of(node)) }
    return response
  }

  private static func answer(_ request: RESTRequest, name: String, _ node: Node?) -> RESTResponse {
    let body = (["name": .string(name)] as JSON).text(layout: request.layout)
    var response = request.isSilent ? .silent : RESTResponse(body: body)
    if let node, isTagged(request) { response.set(etag: ETag.of(node)) }
    return response
  }

  /// Returns the object of a PATCH with its server values filled in: the names as paths, the values from the current
  /// data.
  private static func answer(
    _ request: RESTRequest, _ writes: [Write], _ node: Node?, _ form: JSONForm
  ) -> RESTResponse {
    if request.isSilent { return .silent }
    guard let node else { return asSent(request) }
    var writer = RESTObjectWriter(pretty: request.isPretty)
    for write in writes {
      let place = Location(path: Path(), isPriority: write.location.isPriority)
      writer.member(String(write.location.description.dropFirst())) {
        $0.write(value(of: node[write.location.path], place), form)
      }
    }
    return RESTResponse(body: writer.finish())
  }

  /// Returns the request's own text.
  private static func asSent(_ request: RESTRequest) -> RESTResponse {
    var response = RESTResponse(body: [])
    response.body = request.body
    return response
  }
}

extension WriteValue {
  /// Returns the paths, in a value at `path`, whose new values depend on the former ones.
  fileprivate func derivedPaths(at path: Path) -> [Path] {
    deferred.compactMap { item in
      guard case .increment = item.operation else { return nil }
      return path.appending(item.location.path)
    }
  }
}

extension Node {
  /// True when the node, or any below it, has a priority. The depth of a tree bounds the recursion.
  fileprivate var hasPriorities: Bool { priority != nil || children.contains { $0.node.hasPriorities } }
}
