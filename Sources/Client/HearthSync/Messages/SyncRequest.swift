import HearthTree

/// The identifier of a request, by which its reply is matched; never reused.
public struct RequestID: Sendable, Hashable, Comparable {
  /// The number, counted up from 1 over all connections.
  public let number: Int

  /// Creates the identifier.
  public init(_ number: Int) { self.number = number }

  public static func < (a: RequestID, b: RequestID) -> Bool { a.number < b.number }
}

/// A request to the server, to be sent in order on the connection that is open now.
public struct SyncRequest: Sendable {
  /// The identifier that the reply carries. An unlisten needs no reply.
  public var id: RequestID
  /// The action and its arguments.
  public var body: Body

  /// The action of the protocol and its arguments.
  public enum Body: Sendable {
    /// The action `q`, with the hashes of the data cached when the request is made. The tag is present exactly when the
    /// query has bounds or a limit.
    case listen(QuerySpec, tag: Int?, hash: String, compoundHash: CompoundHash?)
    /// The action `n`, with the tag of its listen.
    case unlisten(QuerySpec, tag: Int?)
    /// The action `g`.
    case get(QuerySpec)
    /// The action `p`, with the hash of the replaced data for a transaction.
    case put(Location, WriteValue, hash: String?)
    /// The action `m`; the locations are relative to the path.
    case merge(Path, [Write])
    /// The action `o`.
    case onDisconnectPut(Location, WriteValue)
    /// The action `om`; the locations are relative to the path.
    case onDisconnectMerge(Path, [Write])
    /// The action `oc`.
    case onDisconnectCancel(Path)
  }
}

/// The server's reply to a request.
public struct SyncReply: Sendable {
  /// The status: `ok`, or the reason of a refusal.
  public var status: String
  /// The server's explanation of a failure; may be empty.
  public var message: String
  /// The data of a `get`.
  public var node: Node

  /// Creates a reply.
  public init(status: String = "ok", message: String = "", node: Node = .empty) {
    self.status = status
    self.message = message
    self.node = node
  }

  /// The failure; nil when the status is `ok`.
  public var failure: SyncFailure? { status == "ok" ? nil : SyncFailure(status, message) }
}

/// The result of one step of ``SyncCore``: events to deliver to the app, and requests to send. Each list is in order;
/// requests do not wait for events.
public struct Reaction: Sendable {
  /// The events for the app.
  public var events: [SyncEvent] = []
  /// The requests for the server; empty while the connection is not ready.
  public var requests: [SyncRequest] = []

  /// Creates an empty reaction.
  public init() {}

  /// Appends the events and requests of a later step.
  public static func += (a: inout Reaction, b: Reaction) {
    a.events += b.events
    a.requests += b.requests
  }
}
