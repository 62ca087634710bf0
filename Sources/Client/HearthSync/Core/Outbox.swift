import HearthTree

/// The requests waiting to be sent and those waiting for a reply. It decides what a new connection is sent and in which
/// order: listens, writes in their order, gets, onDisconnects.
struct Outbox {
  /// The purpose of a request, which decides the receiver of its reply.
  enum Purpose {
    case listen(Listen)
    case write(Int)
    case get(OperationID)
    case onDisconnect(Int)
  }

  /// A listen in the form that the server knows.
  struct Listen: Hashable {
    var spec: QuerySpec
    var tag: Int?
  }

  /// An unanswered write.
  struct Write {
    /// The receiver of a write's outcome.
    enum Owner {
      /// A set or an update: the operation that its outcome is reported for, and the write's id in the tree.
      case operation(OperationID?, write: Int)
      /// The transactions at a path and below, and the hash of the base that was sent.
      case transaction(Path, hash: String)
    }
    var body: SyncRequest.Body
    var owner: Owner
    var request: RequestID?
  }

  /// A write in flight of a user that has signed out or changed: only its outcome still matters.
  enum Left {
    /// A set or an update, with the storage that keeps it.
    case write(Write, Storage?)
    /// Transactions, each with its output.
    case transactions([(OperationID, Node)])
  }

  /// An unanswered `get`.
  struct Get {
    var operation: OperationID
    var spec: QuerySpec
    /// The wall-clock time at which the `get` fails without a connection.
    var deadlineMilliseconds: Int64
  }

  /// An unanswered onDisconnect request.
  struct OnDisconnect {
    var operation: OperationID
    var body: SyncRequest.Body
    var request: RequestID?
  }

  private(set) var isReady = false
  private(set) var writes: [Int: Write] = [:]
  private var left: [Int: Left] = [:]
  private(set) var gets: [Get] = []
  private(set) var onDisconnects: [Int: OnDisconnect] = [:]
  private var purposes: [RequestID: Purpose] = [:]
  /// The last request of each listen on this connection.
  private var listens: [Listen: RequestID] = [:]
  private var lastRequest = 0
  private var lastWrite = 0
  private var lastOnDisconnect = 0
  private var requests: [SyncRequest] = []

  /// Removes and returns the requests that can be sent now.
  mutating func take() -> [SyncRequest] {
    defer { requests = [] }
    return requests
  }

  @discardableResult
  private mutating func send(_ body: SyncRequest.Body, _ purpose: Purpose?) -> RequestID {
    lastRequest += 1
    let id = RequestID(lastRequest)
    if let purpose { purposes[id] = purpose }
    requests.append(SyncRequest(id: id, body: body))
    return id
  }

  // MARK: - The connection

  /// Queues everything for a new connection, whose server knows nothing yet.
  ///
  /// - Parameter listens: each with the request that makes it.
  mutating func connect(listens: [(Listen, SyncRequest.Body)]) {
    isReady = true
    for (listen, body) in listens { self.listens[listen] = send(body, .listen(listen)) }
    for id in writes.keys.sorted() { sendWrite(id) }
    for get in gets { send(.get(get.spec), .get(get.operation)) }
    for id in onDisconnects.keys.sorted() { sendOnDisconnect(id) }
  }

  /// Removes the requests in flight, because no reply to them will come.
  ///
  /// - Returns: transactions, onDisconnects and writes of a former user that were sent and whose outcome stays unknown.
  mutating func disconnect() -> (transactions: [Path], onDisconnects: [OperationID], left: [Left]) {
    (isReady, purposes, listens, requests) = (false, [:], [:], [])
    defer { left = [:] }
    var transactions: [Path] = []
    for id in writes.keys.sorted() {
      guard let write = writes[id], write.request != nil else { continue }
      if case .transaction(let path, _) = write.owner {
        writes[id] = nil
        transactions.append(path)
      } else {
        writes[id]?.request = nil
      }
    }
    var lost: [OperationID] = []
    for id in onDisconnects.keys.sorted() where onDisconnects[id]?.request != nil {
      if let gone = onDisconnects.removeValue(forKey: id) { lost.append(gone.operation) }
    }
    return (transactions, lost, left.keys.sorted().compactMap { left[$0] })
  }

  /// Removes a request and returns its purpose; nil when its reply is no longer of interest.
  mutating func purpose(of id: RequestID) -> Purpose? {
    guard let purpose = purposes.removeValue(forKey: id) else { return nil }
    // of a listen that ended and began again, only the last request counts
    if case .listen(let listen) = purpose, listens[listen] != id { return nil }
    return purpose
  }

  // MARK: - Listens

  mutating func listen(_ listen: Listen, _ body: @autoclosure () -> SyncRequest.Body) {
    if isReady { listens[listen] = send(body(), .listen(listen)) }
  }

  mutating func unlisten(_ listen: Listen) {
    guard listens.removeValue(forKey: listen) != nil else { return }
    send(.unlisten(listen.spec, tag: listen.tag), nil)
  }

  /// Removes a listen that the server has ended.
  mutating func forget(_ listen: Listen) { listens[listen] = nil }

  // MARK: - Writes

  /// Appends a write and returns its id.
  @discardableResult
  mutating func add(_ body: SyncRequest.Body, _ owner: Write.Owner) -> Int {
    lastWrite += 1
    writes[lastWrite] = Write(body: body, owner: owner)
    if isReady { sendWrite(lastWrite) }
    return lastWrite
  }

  private mutating func sendWrite(_ id: Int) {
    guard let write = writes[id] else { return }
    let request = send(write.body, .write(id))
    writes[id]?.request = request
  }

  mutating func finishWrite(_ id: Int) -> Write? { writes.removeValue(forKey: id) }

  /// Returns the writes sent over this connection, in order.
  func sentWrites() -> [(id: Int, Write)] {
    writes.keys.sorted().compactMap { id in writes[id].flatMap { $0.request == nil ? nil : (id, $0) } }
  }

  /// Marks a sent write as left by its user, so that only its answer counts from now on.
  mutating func leaveToAnswer(_ id: Int, _ left: Left) {
    writes[id] = nil
    self.left[id] = left
  }

  /// Returns a write in flight to its user, who has signed in again; false when there is none of that id of that store.
  mutating func takeBack(_ write: Int, of storage: Storage?) -> Bool {
    for (id, left) in left {
      guard case .write(let made, let owner?) = left, owner.isSame(as: storage),
        case .operation(_, write) = made.owner
      else { continue }
      self.left[id] = nil
      writes[id] = made
      return true
    }
    return false
  }

  mutating func finishLeft(_ id: Int) -> Left? { left.removeValue(forKey: id) }

  /// Removes and returns all writes in the order of their creation.
  mutating func cancelWrites() -> [Write] {
    defer { writes = [:] }
    return writes.keys.sorted().compactMap { writes[$0] }
  }

  // MARK: - Gets and onDisconnects

  mutating func add(_ get: Get) {
    gets.append(get)
    if isReady { send(.get(get.spec), .get(get.operation)) }
  }

  /// Keeps gets from failing for want of a connection before the deadline.
  mutating func postponeGets(to deadlineMilliseconds: Int64) {
    for i in gets.indices { gets[i].deadlineMilliseconds = deadlineMilliseconds }
  }

  mutating func finishGet(_ operation: OperationID) -> Get? {
    gets.firstIndex { $0.operation == operation }.map { gets.remove(at: $0) }
  }

  mutating func add(_ onDisconnect: OnDisconnect) {
    lastOnDisconnect += 1
    onDisconnects[lastOnDisconnect] = onDisconnect
    if isReady { sendOnDisconnect(lastOnDisconnect) }
  }

  private mutating func sendOnDisconnect(_ id: Int) {
    guard let onDisconnect = onDisconnects[id] else { return }
    let request = send(onDisconnect.body, .onDisconnect(id))
    onDisconnects[id]?.request = request
  }

  /// Removes and returns the onDisconnect requests that were never sent.
  mutating func cancelOnDisconnects() -> [OperationID] {
    onDisconnects.keys.sorted().filter { onDisconnects[$0]?.request == nil }.compactMap {
      onDisconnects.removeValue(forKey: $0)?.operation
    }
  }

  mutating func finishOnDisconnect(_ id: Int) -> OnDisconnect? { onDisconnects.removeValue(forKey: id) }
}
