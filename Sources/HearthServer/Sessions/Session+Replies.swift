import HearthEngine
import HearthTree
import HearthWire

extension Session {
  /// The message that tells the engine's answer to a request; nil when the request is not known (any more).
  mutating func message(for reply: Reply, to request: Int32) -> ServerMessage? {
    // Answers come in the order of the requests, so the first is nearly always the one.
    guard let index = pending.firstIndex(where: { $0.request == request }) else { return nil }
    let answered = pending.remove(at: index)
    unansweredBytes -= answered.sizeBytes
    let kind = answered.kind
    if case .refused(let status, let text) = kind { return .reply(request, status, .text(text)) }
    if case .listen(let path) = kind, let refused = refusedListen, refused == path {
      refusedListen = nil
      return .reply(request, .tooBig, .text(RESTFailure.tooBig.text))
    }
    switch reply {
    case .ok: return .reply(request, .ok, Self.data(for: kind))
    case .value(let node): return .reply(request, .ok, .node(node))
    case .written: return .reply(request, .ok, .emptyText)
    case .stale: return .reply(request, .dataStale, .text("The data has changed"))
    case .failure(let failure): return .reply(request, Status(failure.code), .text(failure.message))
    }
  }

  private static func data(for kind: Pending.Kind) -> ServerMessage.ReplyData {
    switch kind {
    case .listen: .emptyObject
    case .authenticate(let data): data
    case .unauthenticate: .text("unauthenticated")
    case .other, .refused: .emptyText
    }
  }
}

extension Status {
  /// The word for the engine's cause.
  init(_ code: Failure.Code) {
    switch code {
    case .permissionDenied: self = .permissionDenied
    case .writeTooBig: self = .writeTooBig
    case .unavailable: self = .unavailable
    case .invalidPath, .invalidData, .tooManyListens, .unknownConnection: self = .failed
    }
  }
}

extension Write {
  /// The same write seen from `base`; nil when it is not at or below it.
  func relative(to base: Path) -> Write? {
    guard let path = base.relative(location.path) else { return nil }
    return Write(location: Location(path: path, isPriority: location.isPriority), value: value)
  }
}
