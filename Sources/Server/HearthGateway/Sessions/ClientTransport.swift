import HearthTransport
import HearthWire

/// What carries one client's conversation: a WebSocket, or long polls. Used on the event loop of its conversation only.
///
/// What is sent waits in line until ``flush()``. What arrives, and the end, is told to a ``TransportDelegate``, never from
/// within a call that the delegate makes to the transport.
protocol ClientTransport: AnyObject {
  /// The longest message, in bytes of its JSON text, that this client takes.
  var messageBytesMax: Int { get }

  /// The line that events may be put in past the transport, and in which form; nil when there is none. What is sent then
  /// leaves with the loop's pass too.
  var directLine: (outlet: Outlet, form: TellForm)? { get }

  /// Puts a message in line. Nothing happens on a transport that has ended.
  func send(_ message: OutboundMessage)

  /// The same for a message that nobody else is sent.
  func send(_ message: ServerMessage)

  /// Sends what is in line.
  func flush()

  /// Sends what is in line, and calls once that and all before it is on its way to the client. When the conversation ends
  /// first, `done` is let go.
  func whenWritten(_ done: @escaping @Sendable () -> Void)

  /// Returns true when more of what the client sends is taken in.
  func setReading(_ isReading: Bool)

  /// Sends what is in line and ends the conversation.
  ///
  /// - Parameters:
  ///   - code: why, in the numbers of WebSocket (RFC 6455 §7.4).
  ///   - reason: a text for people who debug the client's traffic.
  func close(code: UInt16, reason: String)
}

extension ClientTransport {
  var directLine: (outlet: Outlet, form: TellForm)? { nil }
}

/// A transport that a conversation may leave for a socket.
protocol RetiringTransport: ClientTransport {
  /// The conversation goes on over a socket: tells what is in line and that nothing follows.
  func retire()
}

/// The conversation behind a transport. Used on one event loop only.
///
/// The order is: `open`, any number of messages with `finish` behind what came together, `ended`; nothing after it.
protocol TransportDelegate: AnyObject {
  /// The first message may be sent.
  func open(over transport: any ClientTransport)

  /// One whole protocol message; the bytes are valid only during the call.
  func received(_ message: UnsafeRawBufferPointer)

  /// All that had arrived was passed on.
  func finish()

  /// The conversation is over.
  func ended(_ end: SocketEnd)
}
