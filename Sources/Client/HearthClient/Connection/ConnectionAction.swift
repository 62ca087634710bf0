import HearthTree
import HearthWire

/// An action for the owner of a connection to perform, in order.
enum ConnectionAction: Sendable {
  /// Fetches the tokens for an attempt; answered by ``ConnectionInput/tokens(attempt:_:)`` or
  /// ``ConnectionInput/tokensFailed(attempt:_:)``. `forcingRefresh` is true after the server has refused the
  /// credential.
  case fetchTokens(attempt: Int, forcingRefresh: Bool)
  /// Opens a WebSocket; answered by ``ConnectionInput/opened(attempt:)`` or ``ConnectionInput/closed(attempt:_:)``.
  case open(attempt: Int, SocketRequest)
  /// Sends text messages.
  case send(attempt: Int, [[UInt8]])
  /// Sends a WebSocket ping.
  case ping(attempt: Int)
  /// Closes the socket of an attempt, or stops opening it. No input about this attempt may follow.
  case close(attempt: Int)
  /// Delivers an event to the owner of the connection.
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
  /// The host name or address to connect to, without brackets.
  var host: String
  /// The port to connect to.
  var port: Int
  /// True when the connection uses TLS.
  var isSecure: Bool
  /// The `Host` header: the host, with the port when it is not the default.
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
  /// The server accepted the credential; the value is the content of its reply.
  case authenticated(JSON)
  /// The server refused the credential. The connection closes, and reconnects with a fresh credential.
  case credentialRefused(ServerRefusal)
  /// The server revoked the accepted credential. The consequences are those of ``credentialRefused(_:)``.
  case credentialRevoked(ServerRefusal)
  /// The server treats this client as signed out, after a connect without a credential or a sign-out.
  case credentialCleared
  /// The connection is ready for requests: the server has accepted the credential, or there is none.
  case ready
  /// The connection was lost after a hello; requests without an answer get none.
  case lost

  /// The reply to a request. Replies to writes are delayed until the listens that were sent before them are answered.
  case reply(id: Int, Status, ReceivedMessage.ReplyData)
  /// The new value or priority of a location; a priority is a leaf. The tag is that of the listen; nil for a listen
  /// without a query.
  case put(Location, Node, tag: Int32?)
  /// New values of several locations, relative to the path, applied at once.
  case merge(Path, [(location: Location, node: Node)], tag: Int32?)
  /// New values for ranges of the data at a listen, after a comparison by compound hash.
  case ranges(Path, [RangeMerge], tag: Int32?)
  /// The server cancelled the listen to the query at the path; without a query, of every listen at the path.
  case cancel(Path, Query?)
}

/// A refusal of the server.
struct ServerRefusal: Sendable, Error, Equatable {
  /// The status code.
  var status: Status
  /// The explanation for the developer; may be empty.
  var text: String
}
