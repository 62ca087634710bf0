import HearthWire

/// An input of the connection's state machine.
enum ConnectionInput: Sendable {
  // Inputs from the owner of the connection.

  /// Connects, and keeps connected.
  case open
  /// Disconnects, and stays disconnected until ``resume(_:)`` with the same reason. The server sees a clean close.
  case interrupt(ConnectionInterrupt)
  /// Removes an interrupt reason.
  case resume(ConnectionInterrupt)
  /// The network is available again, or the app came to the foreground: the next attempt begins without further delay.
  case reachable
  /// Sends a request, only between ``ConnectionEvent/ready`` and ``ConnectionEvent/lost``; it is answered by
  /// ``ConnectionEvent/reply(id:_:_:)``. Requests without a connection are dropped, and so are unanswered ones when the
  /// connection is lost: the owner repeats those that it still needs.
  case request(id: Int, Request.Action)
  /// A new or refreshed credential; nil when signed out.
  case credential(String?)
  /// A new App Check token; nil when App Check is no longer used.
  case appCheck(String?)

  // Inputs from the code that performs the actions.

  /// The tokens of an attempt.
  case tokens(attempt: Int, ConnectionTokens)
  /// The tokens of an attempt could not be fetched, for a reason to be logged: the attempt has failed.
  case tokensFailed(attempt: Int, String)
  /// The WebSocket is open.
  case opened(attempt: Int)
  /// A text message arrived.
  case received(attempt: Int, [UInt8])
  /// Something other than a message arrived from the server, such as a pong.
  case alive(attempt: Int)
  /// The writability of the socket; a new socket counts as writable.
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
  /// The server forbade reconnecting. This lasts until the process ends.
  case shutDown
}

/// The tokens that a client presents when it connects.
struct ConnectionTokens: Sendable, Equatable {
  /// An ID token or another credential of the database; nil when signed out.
  var credential: String?
  /// An App Check token; nil when App Check is not used.
  var appCheck: String?
}

extension ConnectionTokens: CustomStringConvertible, CustomReflectable {
  /// A description without the tokens.
  var description: String { "tokens(credential: \(credential == nil ? "no" : "yes"))" }
  /// A mirror without the tokens.
  var customMirror: Mirror { Mirror(self, children: []) }
}
