import HearthTree

/// A listen as it is known to the server.
struct ServerListen: Hashable {
  var spec: QuerySpec
  var tag: Int?
}

/// The registrations of the app's listeners and of the client itself, and the listens that they need at the server.
final class ListenRegistry {
  /// The size above which a listen also sends hashes of ranges, so that the server sends only the ranges that differ.
  private static let simpleHashSizeBytesMax = 1024

  private let cache: DataCache
  private let pendingRequests: PendingRequests
  private let events: EventRecorder
  private var keptSynced: [QuerySpec: RegistrationID] = [:]
  private var lastHiddenRegistration = 0
  /// The last request of each listen on this connection.
  private var requests: [ServerListen: RequestID] = [:]

  init(cache: DataCache, pendingRequests: PendingRequests, events: EventRecorder) {
    self.cache = cache
    self.pendingRequests = pendingRequests
    self.events = events
  }

  // MARK: - Registrations

  func add(_ registration: Registration, to query: QuerySpec) {
    events.raise(cache.tree.add(registration, to: query))
    sendChanges()
  }

  func remove(_ id: RegistrationID, from query: QuerySpec) {
    cache.tree.remove(id, from: query)
    sendChanges()
  }

  func removeAll(from query: QuerySpec) {
    cache.tree.removeAll(from: query)
    sendChanges()
  }

  /// Keeps a query in sync with a registration that receives no events.
  func addHidden(to query: QuerySpec) -> RegistrationID {
    lastHiddenRegistration -= 1
    let id = RegistrationID(lastHiddenRegistration)
    add(Registration(id, types: []), to: query)
    return id
  }

  func keepSynced(_ query: QuerySpec, _ isOn: Bool) {
    if isOn, keptSynced[query] == nil {
      keptSynced[query] = addHidden(to: query)
    } else if !isOn, let id = keptSynced.removeValue(forKey: query) {
      remove(id, from: query)
    }
  }

  // MARK: - The connection

  /// Sends all listens over a new connection, on which the server knows none.
  func connect() {
    for (spec, tag) in cache.tree.listens { send(ServerListen(spec: spec, tag: tag)) }
  }

  func disconnect() { requests = [:] }

  /// Sends the requests that begin or end the tree's listens.
  private func sendChanges() {
    for change in cache.tree.takeListenChanges() {
      switch change {
      case .start(let spec, let tag): if pendingRequests.isReady { send(ServerListen(spec: spec, tag: tag)) }
      case .stop(let spec, let tag):
        guard requests.removeValue(forKey: ServerListen(spec: spec, tag: tag)) != nil else { continue }
        pendingRequests.send(.unlisten(spec, tag: tag), nil)
      }
    }
  }

  /// Sends a listen with the hashes of the cached data.
  private func send(_ listen: ServerListen) {
    let node = cache.tree.serverNode(ofListen: listen.spec) ?? .empty
    let isLarge = node.estimatedSizeBytes > Self.simpleHashSizeBytesMax
    let body = SyncRequest.Body.listen(
      listen.spec, tag: listen.tag, hash: node.simpleHash(), compoundHash: isLarge ? node.compoundHash() : nil)
    requests[listen] = pendingRequests.send(body, .listen(listen))
  }

  // MARK: - Answers

  /// Handles the reply to a listen. Of a listen that ended and began again, only the last request counts.
  ///
  /// - Returns: True when the listen is complete now.
  func finish(_ listen: ServerListen, _ request: RequestID, _ reply: SyncReply) -> Bool {
    guard requests[listen] == request else { return false }
    if let failure = reply.failure {
      cancel(listen, failure)
      return false
    }
    cache.storage?.completed(listen.spec)
    events.raise(cache.tree.listenComplete(listen.spec, tag: listen.tag))
    return true
  }

  /// Ends the listens that the server has cancelled: the one of the query, or without a query all at exactly that path.
  func cancel(_ path: Path, query: Query?, _ failure: SyncFailure) {
    let listens = cache.tree.listens.filter { $0.spec.path == path }
    let wanted = query.map { QuerySpec(path, $0).forListening }
    for (spec, tag) in listens where wanted == nil || wanted == spec {
      cancel(ServerListen(spec: spec, tag: tag), failure)
    }
  }

  /// Cancels a listen that the server denies: removes its stored data, then ends its registrations.
  private func cancel(_ listen: ServerListen, _ failure: SyncFailure) {
    requests[listen] = nil
    let cancelled = cache.tree.cancel(listen.spec, failure)
    cache.storage?.denied(listen.spec)
    let hidden = Dictionary(uniqueKeysWithValues: keptSynced.map { ($0.value, $0.key) })
    for cancellation in cancelled {
      if let query = hidden[cancellation.registration] {
        keptSynced[query] = nil
        events.raise(.warning("\(query.path) is not kept in sync any more: \(failure.status)"))
      } else if cancellation.registration.number >= 0 {
        events.raise(.cancelled(cancellation))
      }
    }
    sendChanges()
  }
}
