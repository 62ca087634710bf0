import HearthTransport
import HearthWire
import NIOCore

/// The transport over a socket that a client has joined, for its session: the socket may belong to another event loop.
final class JoinedTransport: ClientTransport {
  /// A message on its way between loops.
  enum Outbound: Sendable {
    case shared(OutboundMessage)
    case own(ServerMessage)
  }

  private let loop: any EventLoop
  private let socket: NIOLoopBound<JoiningSocket>
  private var waiting: [Outbound] = []

  /// - Parameter loop: the socket's.
  init(_ socket: NIOLoopBound<JoiningSocket>, on loop: any EventLoop) {
    self.socket = socket
    self.loop = loop
  }

  /// The maximum message length: unlimited, because only browsers begin with long polls, and they accept large frames.
  var messageBytesMax: Int { .max }

  func send(_ message: OutboundMessage) { waiting.append(.shared(message)) }
  func send(_ message: ServerMessage) { waiting.append(.own(message)) }

  func flush() {
    guard !waiting.isEmpty else { return }
    let messages = waiting
    waiting = []
    loop.execute { [socket] in socket.value.write(messages) }
  }

  func whenWritten(_ done: @escaping @Sendable () -> Void) {
    flush()
    loop.execute { [socket] in socket.value.whenWritten(done) }
  }

  func setReading(_ isReading: Bool) {
    loop.execute { [socket] in socket.value.setReading(isReading) }
  }

  func close(code: UInt16, reason: String) {
    flush()
    loop.execute { [socket] in socket.value.close(code: code, reason: reason) }
  }
}
