import HearthTree
import HearthWire

/// What is to be done, in this order.
enum ConnectionAction: Sendable {
  /// Get the tokens for an attempt and answer with ``ConnectionInput/tokens(attempt:_:)`` or
  /// ``ConnectionInput/tokensFailed(attempt:_:)``. With a refusal behind it the credential must be a fresh one.
  case fetchTokens(attempt: Int, forcingRefresh: Bool)
  /// Open a WebSocket and answer with ``ConnectionInput/opened(attempt:)`` or ``ConnectionInput/closed(attempt:_:)``.
  case open(attempt: Int, SocketRequest)
  /// Send text messages.
  case send(attempt: Int, [[UInt8]])
  /// Send a WebSocket ping.
  case ping(attempt: Int)
  /// Close the socket of an attempt, or give up opening it. Nothing more is told of it.
  case close(attempt: Int)
  /// Tell the repository.
  case tell(ConnectionEvent)
  /// Write to the log.
  case log(ConnectionLogLevel, String)
}

/// How much a line of the log matters.
enum ConnectionLogLevel: Int, Sendable, Comparable {
  case debug, info, warning

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A WebSocket to open.
struct SocketRequest: Sendable, Equatable {
  /// Name or address to dial, without brackets.
  var host: String
  /// Port to dial.
  var port: Int
  /// True when to speak TLS.
  var isSecure: Bool
  /// The `Host` header: what was dialled, with the port when it is not the usual one.
  var authority: String
  /// Path and query.
  var target: String
  /// More headers.
  var headers: [Header]

  /// One header.
  struct Header: Sendable, Equatable {
    /// As it is sent.
    var name: String
    /// As it is sent.
    var value: String
  }
}

/// What the owner must know.
enum ConnectionEvent: Sendable {
  /// The hello came; the server's clock in milliseconds since 1970. From now on `.info/connected` is true.
  case hello(serverTimeMilliseconds: Int64)
  /// The server took the credential; what it said about it.
  case authenticated(JSON)
  /// The server does not take the credential. A fresh one is asked for and the connection made anew.
  case credentialRefused(ServerRefusal)
  /// The server no longer accepts the credential that it took. As ``credentialRefused(_:)``.
  case credentialRevoked(ServerRefusal)
  /// The server treats this client as signed out: it came without a credential, or gave it up.
  case credentialCleared
  /// Requests can be sent: the server has accepted the credential, or there is none.
  case ready
  /// The connection is gone after a hello; what was asked over it has no answer any more.
  case lost

  /// The answer to the request of that id. Those to writes come once all listens that were asked before have theirs.
  case reply(id: Int, Status, ReceivedMessage.ReplyData)
  /// The value, or the priority, is now this; a priority comes as a leaf. With the listen's tag; nil for default listens.
  case put(Location, Node, tag: Int32?)
  /// Each place, relative to the path, is now that, all at once.
  case merge(Path, [(location: Location, node: Node)], tag: Int32?)
  /// Each range of the listen's leaves is now that.
  case ranges(Path, [RangeMerge], tag: Int32?)
  /// The listen of that query at the path is over; without a query, every listen at the path.
  case cancel(Path, Query?)
}

/// The server says no.
struct ServerRefusal: Sendable, Error, Equatable {
  /// In one word.
  var status: Status
  /// For the developer; may be empty.
  var text: String
}
