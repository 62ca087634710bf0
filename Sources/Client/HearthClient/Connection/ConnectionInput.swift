import HearthWire

/// An input of the connection's state machine.
enum ConnectionInput: Sendable {
  // Requests of the owner.

  /// Connects, and keeps connected.
  case open
  /// Disconnects, and stays so for that reason. The server sees a clean close.
  case interrupt(ConnectionInterrupt)
  /// Removes an interrupt reason.
  case resume(ConnectionInterrupt)
  /// The network came back, or the app came to the foreground: the current delay ends.
  case reachable
  /// Sends a request, between ``ConnectionEvent/ready`` and ``ConnectionEvent/lost`` only; its answer comes as
  /// ``ConnectionEvent/reply(id:_:_:)`` with that id. Requests without a connection are dropped, as are unanswered ones
  /// when a connection is lost: the owner keeps what it still needs.
  case request(id: Int, Request.Action)
  /// A new or refreshed credential; nil when signed out.
  case credential(String?)
  /// A new App Check token; nil when there is none any more.
  case appCheck(String?)

  // Observations of the performer of the actions.

  /// The tokens of an attempt.
  case tokens(attempt: Int, ConnectionTokens)
  /// The tokens of an attempt could not be fetched, for a reason to be logged: the attempt has failed.
  case tokensFailed(attempt: Int, String)
  /// The WebSocket is open.
  case opened(attempt: Int)
  /// A text message arrived.
  case received(attempt: Int, [UInt8])
  /// Another sign of life of the server arrived, such as a pong.
  case alive(attempt: Int)
  /// The writability of the socket; true when it was opened.
  case writable(attempt: Int, Bool)
  /// The socket was closed or never opened, for a reason to be logged.
  case closed(attempt: Int, String)
  /// The time of ``PersistentConnection/deadline`` has come.
  case timer
}

/// A reason to stay disconnected. Several may apply at once.
enum ConnectionInterrupt: Sendable, Hashable {
  /// The owner has not opened the connection yet.
  case notOpened
  /// The app went offline.
  case offline
  /// The server forbade reconnecting. This holds for the life of the process.
  case shutDown
}

/// The tokens that a client presents when it connects.
struct ConnectionTokens: Sendable, Equatable {
  /// An ID token or another credential of the database; nil when signed out.
  var credential: String?
  /// An App Check token; nil without App Check.
  var appCheck: String?
}

extension ConnectionTokens: CustomStringConvertible, CustomReflectable {
  /// A description without the tokens.
  var description: String { "tokens(credential: \(credential == nil ? "no" : "yes"))" }
  /// A mirror without the tokens.
  var customMirror: Mirror { Mirror(self, children: []) }
}
