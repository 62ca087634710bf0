import NIOCore

/// The delegate of one socket. All calls come on the socket's event loop, never from within a call of the delegate to
/// the socket.
///
/// The order is: `opened`, any number of read cycles (messages, then `finishedReading`), `closed`; no call comes after
/// it.
package protocol SocketDelegate: AnyObject {
  /// Notifies that the handshake is answered and messages may be sent. The delegate may keep the socket until `closed`.
  func opened(_ socket: Socket)

  /// Handles a complete text message of the WebSocket. The bytes are valid UTF-8 and valid only during the call.
  ///
  /// - Throws: the client's violation: the socket is closed with its code, and no more messages are delivered.
  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) throws(SocketViolation)

  /// Notifies that all received messages were delivered; messages queued meanwhile are sent after this call.
  func finishedReading(_ socket: Socket)

  /// Notifies that the socket has ended. Called exactly once, also when the delegate closed the socket itself.
  func closed(_ socket: Socket, _ end: SocketEnd)

  /// The bytes that the delegate keeps of an unfinished sequence of messages; nil when there is none. They count as
  /// held for the client, and the sequence has the time of one message.
  var unfinishedBytes: Int? { get }

  /// The bytes of complete messages that the delegate keeps until it has decoded them. They count as held for the client.
  var undecodedBytes: Int { get }

  /// False for a client that would disconnect on a ping: it has to send by itself. Read once.
  var mayBePinged: Bool { get }
}

extension SocketDelegate {
  /// The default: no unfinished sequence.
  package var unfinishedBytes: Int? { nil }
  /// The default: messages are decoded when they arrive.
  package var undecodedBytes: Int { 0 }
  /// The default: every client that follows RFC 6455 answers pings.
  package var mayBePinged: Bool { true }
}

/// A violation by a client, with the code that closes its socket (RFC 6455 §7.4).
package struct SocketViolation: Error, Equatable {
  /// The close code.
  var code: UInt16
  /// The text for the log, and the reason that the client is sent.
  var text: String

  /// Creates a violation with this code.
  ///
  /// - Parameters:
  ///   - code: one that a server may send.
  ///   - text: the violation in a few words; it is cut to the room in a close frame.
  package init(code: UInt16, text: String) {
    self.code = code
    self.text = text
  }
}

/// The reason why a socket ended.
package enum SocketEnd: Sendable, Equatable {
  /// The client sent a close frame with this code, or with none.
  case closedByPeer(code: UInt16?)
  /// The connection ended without a close frame.
  case disconnected
  /// The server closed the socket.
  case closedByServer
  /// The client broke the WebSocket protocol or a limit; the text is for the log.
  case violation(code: UInt16, text: String)
  /// The client was silent for too long.
  case silent
  /// The client did not take its output.
  case slowConsumer

  /// True for an end that the client or the server intended.
  package var isClean: Bool {
    switch self {
    case .closedByPeer, .closedByServer: true
    case .disconnected, .violation, .silent, .slowConsumer: false
    }
  }
}

/// A handler of WebSocket handshakes. Called on the connection's event loop.
package protocol SocketAcceptor: Sendable {
  /// Returns a delegate for the new socket, or the response that refuses it.
  func accept(_ request: HTTPRequest, on loop: TransportLoop) -> SocketDecision
}

/// The decision on a handshake.
package enum SocketDecision {
  /// The handshake is accepted, and the socket is this delegate's.
  case accept(any SocketDelegate)
  /// The handshake is refused with this response.
  case refuse(HTTPResponse)
  /// The path has no sockets: the request is an ordinary one.
  case none
}
