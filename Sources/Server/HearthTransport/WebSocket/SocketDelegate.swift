import NIOCore

/// The conversation behind one socket. All calls come on the socket's event loop, never from within a call that the
/// delegate makes to the socket.
///
/// The order is: `opened`, any number of read cycles (messages, then `finishedReading`), `closed`; nothing after it.
package protocol SocketDelegate: AnyObject {
  /// The handshake is answered; the first message may be sent. The delegate may keep the socket until `closed`.
  func opened(_ socket: Socket)

  /// One whole text message of the WebSocket. The bytes are valid UTF-8 and valid only during the call.
  ///
  /// - Throws: what the client did wrong: the socket is closed with its code, and nothing more is received.
  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) throws(SocketViolation)

  /// All that had arrived was passed on; what was sent meanwhile is written after this call.
  func finishedReading(_ socket: Socket)

  /// The conversation is over. Called exactly once, also when the delegate closed the socket itself.
  func closed(_ socket: Socket, _ end: SocketEnd)

  /// Bytes that the delegate keeps of something that comes in several messages and is not complete; nil when nothing
  /// has begun. What is kept counts as held for the client, and all of it has the time of one message.
  var unfinishedBytes: Int? { get }

  /// False for a client that a ping would kill: it has to speak by itself. Asked once.
  var mayBePinged: Bool { get }
}

extension SocketDelegate {
  /// Nothing is kept.
  package var unfinishedBytes: Int? { nil }
  /// Every client that keeps to RFC 6455 answers pings.
  package var mayBePinged: Bool { true }
}

/// What a client did wrong, with the code that closes its socket (RFC 6455 §7.4).
package struct SocketViolation: Error, Equatable {
  /// The close code.
  var code: UInt16
  /// For the log, and the reason that the client is told.
  var text: String

  /// - Parameters:
  ///   - code: one that a server may send.
  ///   - text: what was wrong, in a few words; it is cut to what a close frame has room for.
  package init(code: UInt16, text: String) {
    self.code = code
    self.text = text
  }
}

/// The reason why a socket ended.
package enum SocketEnd: Sendable, Equatable {
  /// The client said goodbye with this code, or with none.
  case closedByPeer(code: UInt16?)
  /// The connection went away without a goodbye.
  case disconnected
  /// Closed by the server's own wish.
  case closedByServer
  /// The client broke the WebSocket protocol or a limit; the text is for the log.
  case violation(code: UInt16, text: String)
  /// Nothing was heard from the client for too long.
  case silent
  /// The client did not take what was sent to it.
  case slowConsumer

  /// True for an end that the client meant, or that came from this side.
  package var isClean: Bool {
    switch self {
    case .closedByPeer, .closedByServer: true
    case .disconnected, .violation, .silent, .slowConsumer: false
    }
  }
}

/// Decides about WebSocket handshakes. Called on the connection's event loop.
package protocol SocketAcceptor: Sendable {
  /// A delegate for the new socket, or the response that refuses it.
  func accept(_ request: HTTPRequest, on loop: TransportLoop) -> SocketDecision
}

/// What becomes of a handshake.
package enum SocketDecision {
  /// It is answered, and the socket is this delegate's.
  case accept(any SocketDelegate)
  /// It is answered with this instead.
  case refuse(HTTPResponse)
  /// Not a place for sockets: the request is an ordinary one.
  case none
}
