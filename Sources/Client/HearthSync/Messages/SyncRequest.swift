import HearthTree

/// Names a request until its reply comes; each is used once.
public struct RequestID: Sendable, Hashable, Comparable {
  /// Counts up from 1, over all connections.
  public let number: Int

  /// The request of that number.
  public init(_ number: Int) { self.number = number }

  public static func < (a: RequestID, b: RequestID) -> Bool { a.number < b.number }
}

/// Something to send to the server, in this order, on the connection that is open now.
public struct SyncRequest: Sendable {
  /// What its reply names. An unlisten needs no reply.
  public var id: RequestID
  /// What is asked.
  public var body: Body

  /// What is asked of the server. Each case says which action of the protocol it is.
  public enum Body: Sendable {
    /// `q`: the hashes are of what is held when the request is made. A tag comes with every query that has bounds or a
    /// limit, and with no other.
    case listen(QuerySpec, tag: Int?, hash: String, compoundHash: CompoundHash?)
    /// `n`, as in its listen.
    case unlisten(QuerySpec, tag: Int?)
    /// `g`.
    case get(QuerySpec)
    /// `p`; with the hash of what it replaces when it is a transaction.
    case put(Location, WriteValue, hash: String?)
    /// `m`: each place is relative to the path.
    case merge(Path, [Write])
    /// `o`.
    case onDisconnectPut(Location, WriteValue)
    /// `om`: each place is relative to the path.
    case onDisconnectMerge(Path, [Write])
    /// `oc`.
    case onDisconnectCancel(Path)
  }
}

/// What the server answered.
public struct SyncReply: Sendable {
  /// `ok`, or why not.
  public var status: String
  /// The server's explanation of a failure; may be empty.
  public var message: String
  /// The data of a `get`.
  public var node: Node

  /// A reply of that status.
  public init(status: String = "ok", message: String = "", node: Node = .empty) {
    self.status = status
    self.message = message
    self.node = node
  }

  /// nil when the status is `ok`.
  public var failure: Failure? { status == "ok" ? nil : Failure(status, message) }
}

/// What one step of the core leads to: tell the app the events, and send the requests. Each list is in order; that of
/// requests does not wait for that of events.
public struct Reaction: Sendable {
  /// For the app.
  public var events: [SyncEvent] = []
  /// For the server. There are none as long as the connection is not ready.
  public var requests: [SyncRequest] = []

  /// Nothing.
  public init() {}

  /// Adds what follows.
  public static func += (a: inout Reaction, b: Reaction) {
    a.events += b.events
    a.requests += b.requests
  }
}
