import HearthTree
import HearthWire

/// An action for the owner of a connection to perform, in order.
enum ConnectionAction: Sendable {
  /// Fetches the tokens for an attempt; answered by ``ConnectionInput/tokens(attempt:_:)`` or
  /// ``ConnectionInput/tokensFailed(attempt:_:)``. After a refusal the credential must be a fresh one.
  case fetchTokens(attempt: Int, forcingRefresh: Bool)
  /// Opens a WebSocket; answered by ``ConnectionInput/opened(attempt:)`` or ``ConnectionInput/closed(attempt:_:)``.
  case open(attempt: Int, SocketRequest)
  /// Sends text messages.
  case send(attempt: Int, [[UInt8]])
  /// Sends a WebSocket ping.
  case ping(attempt: Int)
  /// Closes the socket of an attempt, or stops opening it. No input about it may follow.
  case close(attempt: Int)
  /// Delivers an event to the repository.
  case deliver(ConnectionEvent)
  /// Writes to the log.
  case log(ConnectionLogLevel, String)
}

/// The severity of a log line.
enum ConnectionLogLevel: Int, Sendable, Comparable {
  case debug, info, warning

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A WebSocket to open.
struct SocketRequest: Sendable, Equatable {
  /// The name or address to dial, without brackets.
  var host: String
  /// The port to dial.
  var port: Int
  /// True when the connection uses TLS.
  var isSecure: Bool
  /// The `Host` header: the dialled host, with the port when it is not the default.
  var authority: String
  /// The path and query of the request.
  var target: String
  /// Additional headers.
  var headers: [Header]

  /// A single header.
  struct Header: Sendable, Equatable {
    /// The name as sent.
    var name: String
    /// The value as sent.
    var value: String
  }
}

/// An event for the owner of the connection.
enum ConnectionEvent: Sendable {
  /// The hello arrived, with the server's clock in milliseconds since 1970. `.info/connected` is true from now on.
  case hello(serverTimeMilliseconds: Int64)
  /// The server accepted the credential; the content of its reply.
  case authenticated(JSON)
  /// The server refused the credential. A fresh one is requested and the connection made anew.
  case credentialRefused(ServerRefusal)
  /// The server revoked the accepted credential. The consequences are those of ``credentialRefused(_:)``.
  case credentialRevoked(ServerRefusal)
  /// The server treats this client as signed out, after a connect without a credential or a sign-out.
  case credentialCleared
  /// The connection is ready for requests: the server has accepted the credential, or there is none.
  case ready
  /// The connection was lost after a hello; requests in flight get no reply.
  case lost

  /// The reply to the request of that id. Replies to writes are held until the listens sent before have theirs.
  case reply(id: Int, Status, ReceivedMessage.ReplyData)
  /// The new value or priority of a location; a priority comes as a leaf. The tag is that of the listen; nil for
  /// default listens.
  case put(Location, Node, tag: Int32?)
  /// New values of several locations, relative to the path, applied at once.
  case merge(Path, [(location: Location, node: Node)], tag: Int32?)
  /// New values of ranges of a listen's leaves.
  case ranges(Path, [RangeMerge], tag: Int32?)
  /// The end of the listen of that query at the path; without a query, of every listen at the path.
  case cancel(Path, Query?)
}

/// A refusal of the server.
struct ServerRefusal: Sendable, Error, Equatable {
  /// The status code.
  var status: Status
  /// The explanation for the developer; may be empty.
  var text: String
}
