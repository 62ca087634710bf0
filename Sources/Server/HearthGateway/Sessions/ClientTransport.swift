import HearthTransport
import HearthWire

/// The transport of one client's session: a WebSocket, or long polls. Used on the event loop of its session only.
///
/// Messages are queued until ``flush()``. Input, and the end, are passed to a ``TransportDelegate``, never from within
/// a call of the delegate to the transport.
protocol ClientTransport: AnyObject {
  /// The maximum length of a message, in bytes of its JSON text, for this client.
  var messageBytesMax: Int { get }

  /// The outlet in which events may be queued directly, with their form; nil when there is none. While there is one, sent messages
  /// leave in it, too, when the loop flushes its outlets.
  var directOutlet: (outlet: Outlet, form: DeliveryForm)? { get }

  /// Queues a message. Ignored when the transport has ended.
  func send(_ message: OutboundMessage)

  /// Queues a message for this client alone.
  func send(_ message: ServerMessage)

  /// Sends the queued messages.
  func flush()

  /// Sends the queued messages, and calls `done` once they and all earlier ones are on their way to the client. When the session
  /// ends first, `done` is released without a call.
  func whenWritten(_ done: @escaping @Sendable () -> Void)

  /// Pauses or resumes reading.
  func setReading(_ isReading: Bool)

  /// Sends the queued messages and ends the session.
  ///
  /// - Parameters:
  ///   - code: the reason, as a close code of WebSocket (RFC 6455 §7.4).
  ///   - reason: a text for debugging the client's traffic.
  func close(code: UInt16, reason: String)
}

extension ClientTransport {
  var directOutlet: (outlet: Outlet, form: DeliveryForm)? { nil }
}

/// A transport that a session may leave for a socket.
protocol RetiringTransport: ClientTransport {
  /// Sends the queued messages and the end of this transport, because the session continues over a socket.
  func retire()
}

/// The session behind a transport. Used on one event loop only.
///
/// The order is: `open`, any number of messages with `finish` after those that came together, `ended`; no call comes
/// after it.
protocol TransportDelegate: AnyObject {
  /// Begins the session: messages may be sent.
  func open(over transport: any ClientTransport)

  /// Takes a complete protocol message; the bytes are valid only during the call.
  func received(_ message: UnsafeRawBufferPointer)

  /// Handles the end of the messages that came together.
  func finish()

  /// The bytes of messages that the session keeps and has not decoded.
  var undecodedBytes: Int { get }

  /// Handles the end of the session.
  func ended(_ end: SocketEnd)
}

extension TransportDelegate {
  /// The default: every message is decoded when it arrives.
  var undecodedBytes: Int { 0 }
}
