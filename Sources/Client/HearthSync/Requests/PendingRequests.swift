import HearthTree

/// The requests to send over the present connection, and the purposes of those that wait for a reply.
final class PendingRequests {
  /// The purpose of a request, which determines the handler of its reply.
  enum Purpose {
    case listen(ServerListen)
    case write(Int)
    case get(OperationID)
    case onDisconnect(Int)
  }

  /// True while the server accepts requests.
  private(set) var isReady = false
  private var purposes: [RequestID: Purpose] = [:]
  private var lastRequest = 0
  private var requests: [SyncRequest] = []

  /// Removes and returns the requests that can be sent now.
  func take() -> [SyncRequest] {
    defer { requests = [] }
    return requests
  }

  /// Queues a request. Must be called only while ``isReady``.
  ///
  /// - Parameter purpose: Nil when the request needs no reply.
  @discardableResult
  func send(_ body: SyncRequest.Body, _ purpose: Purpose?) -> RequestID {
    lastRequest += 1
    let id = RequestID(lastRequest)
    if let purpose { purposes[id] = purpose }
    requests.append(SyncRequest(id: id, body: body))
    return id
  }

  func connect() { isReady = true }

  /// Removes all requests, because they will not be answered any more.
  func disconnect() { (isReady, purposes, requests) = (false, [:], []) }

  /// Removes a request and returns its purpose; nil when it is no longer pending.
  func takePurpose(of id: RequestID) -> Purpose? { purposes.removeValue(forKey: id) }
}
