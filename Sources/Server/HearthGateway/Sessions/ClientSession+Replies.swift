import HearthEngine
import HearthTree
import HearthWire

extension ClientSession {
  /// Returns the message with the engine's response to a request; nil for an unknown request.
  mutating func message(for reply: Reply, to request: Int32) -> ServerMessage? {
    // Responses come in the order of the requests, so the first nearly always matches.
    guard let index = pending.firstIndex(where: { $0.request == request }) else { return nil }
    let answered = pending.remove(at: index)
    unansweredBytes -= answered.sizeBytes
    let kind = answered.kind
    if case .refused(let status, let text) = kind { return .reply(request, status, .text(text)) }
    if case .listen(let name) = kind, let refused = refusedListen, refused.name == name {
      refusedListen = nil
      forget(name)
      return .reply(request, refused.status, .text(refused.text))
    }
    switch reply {
    case .listening(isIndexed: false): return .reply(request, .ok, .noIndex)
    case .ok, .listening: return .reply(request, .ok, Self.data(for: kind))
    case .result(let result): return .reply(request, .ok, .result(result))
    case .value(let node): return .reply(request, .ok, .node(Self.value(node, for: kind)))
    case .written: return .reply(request, .ok, .emptyText)
    case .stale: return .reply(request, .dataStale, .text("The data has changed"))
    case .failure(let failure):
      if case .listen(let name) = kind { forget(name) }
      return .reply(request, Status(failure.code), .text(failure.message))
    }
  }

  /// Returns the message that a listen is cancelled; nil when the client has ended it meanwhile. Without its query
  /// object the message would end another listen at the same path.
  mutating func cancellation(of name: ListenName) -> ServerMessage? {
    guard let tag = name.tag else { return .push(.cancel(path: name.path)) }
    return queries.remove(tag, at: name.path).map { .push(.cancel(path: name.path, query: $0)) }
  }

  private mutating func forget(_ name: ListenName) {
    if let tag = name.tag { queries.remove(tag, at: name.path) }
  }

  private static func value(_ node: Node, for kind: Pending.Kind) -> Node {
    guard case .priority = kind else { return node }
    return node.priorityNode
  }

  private static func data(for kind: Pending.Kind) -> ServerMessage.ReplyData {
    switch kind {
    case .listen: .emptyObject
    case .authenticate(let data): data
    case .unauthenticate: .text("unauthenticated")
    case .other, .priority, .refused: .emptyText
    }
  }
}

extension Status {
  /// Creates the status for the engine's cause.
  init(_ code: Failure.Code) {
    switch code {
    case .permissionDenied: self = .permissionDenied
    case .writeTooBig: self = .writeTooBig
    case .unavailable, .noSpace: self = .unavailable
    case .outcomeUnknown: self = .outcomeUnknown
    case .invalidPath, .invalidData, .tooManyListens, .indexNotDefined, .tooManyOnDisconnects, .unknownConnection:
      self = .failed
    }
  }
}

extension Write {
  /// Returns the same write relative to `base`; nil when it is not at or below it.
  func relative(to base: Path) -> Write? {
    guard let path = base.relative(location.path) else { return nil }
    return Write(location: Location(path: path, isPriority: location.isPriority), value: value)
  }
}
