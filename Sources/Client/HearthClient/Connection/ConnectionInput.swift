import HearthWire

/// What happens to a connection.
enum ConnectionInput: Sendable {
  // What the owner wants.

  /// Connect, and stay connected.
  case open
  /// Disconnect, and stay so for that reason. The server sees a clean close.
  case interrupt(ConnectionInterrupt)
  /// That reason is gone.
  case resume(ConnectionInterrupt)
  /// The network came back, or the app to the foreground: a wait for the next attempt is over.
  case reachable
  /// A request, between ``ConnectionEvent/ready`` and ``ConnectionEvent/lost`` only; its answer comes as
  /// ``ConnectionEvent/reply(id:_:_:)`` with that id. Without a connection it is forgotten, as are those without an answer
  /// when a connection is lost: the owner keeps what it still wants.
  case request(id: Int, Request.Action)
  /// Another credential, or the same one refreshed; nil: signed out.
  case credential(String?)
  /// Another App Check token; nil: none any more.
  case appCheck(String?)

  // What the performer of the actions has seen.

  /// The tokens of an attempt.
  case tokens(attempt: Int, ConnectionTokens)
  /// There are no tokens for that attempt, for a reason to be logged: it has failed.
  case tokensFailed(attempt: Int, String)
  /// The WebSocket is open.
  case opened(attempt: Int)
  /// A text message came.
  case received(attempt: Int, [UInt8])
  /// Some other sign of the server came, such as a pong.
  case alive(attempt: Int)
  /// True when the socket takes more now. It does when it was opened.
  case writable(attempt: Int, Bool)
  /// The socket is gone, or was never opened, for a reason to be logged.
  case closed(attempt: Int, String)
  /// It is ``PersistentConnection/deadline``, or later.
  case timer
}

/// The reason why there shall be no connection. There may be several reasons at once.
enum ConnectionInterrupt: Sendable, Hashable {
  /// Nobody has asked for one yet.
  case notOpened
  /// The app went offline.
  case offline
  /// The server said not to come back. It stays so for the life of the process.
  case shutDown
}

/// What a client shows of itself when it connects.
struct ConnectionTokens: Sendable, Equatable {
  /// An ID token or another credential of the database; nil when nobody is signed in.
  var credential: String?
  /// An App Check token; nil without App Check.
  var appCheck: String?
}

extension ConnectionTokens: CustomStringConvertible, CustomReflectable {
  /// Never the tokens.
  var description: String { "tokens(credential: \(credential == nil ? "no" : "yes"))" }
  /// Never the tokens.
  var customMirror: Mirror { Mirror(self, children: []) }
}
