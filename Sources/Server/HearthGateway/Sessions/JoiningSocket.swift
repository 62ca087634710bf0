import HearthEngine
import HearthTransport
import HearthWire
import NIOCore

/// A socket that a client opens to continue a session that it began over long polls: it passes all messages on to the
/// session, which stays on its first event loop.
final class JoiningSocket: TransportDelegate {
  private let opening: SocketOpening
  private let sessionID: String
  private let services: GatewayServices
  private let loop: any EventLoop
  private var socket: (any ClientTransport)?
  private var sessionLink: SessionLink?
  /// The messages that arrived since the last hand-over.
  private var messages: [[UInt8]] = []
  private var sizeBytes = 0

  private struct SessionLink: Sendable {
    let connection: ConnectionID
    let transport: NIOLoopBound<JoinedTransport>
  }

  init(_ opening: SocketOpening, session: String, services: GatewayServices, on loop: any EventLoop) {
    self.opening = opening
    sessionID = session
    self.services = services
    self.loop = loop
  }

  // MARK: Socket callbacks

  func open(over socket: any ClientTransport) {
    self.socket = socket
    guard let id = services.sessions.connection(of: sessionID, database: opening.namespace) else { return refuse() }
    let remote = NIOLoopBound(self, eventLoop: loop)
    services.router.execute(for: id) { [loop] hub in
      let transport = JoinedTransport(remote, on: loop)
      guard let connection = hub.client(id) as? SocketConnection, connection.join(transport) else {
        return loop.execute { remote.value.refuse() }
      }
      let sessionLink = SessionLink(connection: id, transport: NIOLoopBound(transport, eventLoop: hub.loop))
      loop.execute { remote.value.joined(sessionLink) }
    }
  }

  func received(_ message: UnsafeRawBufferPointer) {
    sizeBytes += message.count
    guard sessionLink != nil || sizeBytes <= ClientSession.heldBytesMax else {
      socket?.close(code: 1008, reason: "too many messages before the session was resumed")
      return
    }
    messages.append(Array(message))
  }

  func finish() { handOver() }

  func ended(_ end: SocketEnd) {
    self.socket = nil
    if let sessionLink { Self.notifyEnd(sessionLink, of: end, services) }
    // The socket and its session reference each other.
    sessionLink = nil
  }

  // MARK: Session calls

  private func joined(_ sessionLink: SessionLink) {
    guard let socket else { return Self.notifyEnd(sessionLink, of: .disconnected, services) }
    self.sessionLink = sessionLink
    socket.send(ServerMessage.switchTransport)
    socket.flush()
    handOver()
  }

  /// Refuses the socket: the client stays with its long polls.
  private func refuse() {
    socket?.send(ServerMessage.reset(host: opening.host))
    socket?.flush()
    socket?.close(code: 1000, reason: "unknown session")
  }

  func write(_ messages: [JoinedTransport.Outbound]) {
    for message in messages {
      switch message {
      case .shared(let message): socket?.send(message)
      case .own(let message): socket?.send(message)
      }
    }
    socket?.flush()
  }

  func whenWritten(_ done: @escaping @Sendable () -> Void) { socket?.whenWritten(done) }

  func setReading(_ isReading: Bool) { socket?.setReading(isReading) }

  func close(code: UInt16, reason: String) { socket?.close(code: code, reason: reason) }

  private func handOver() {
    guard let sessionLink, !messages.isEmpty else { return }
    let batch = messages
    (messages, sizeBytes) = ([], 0)
    services.router.execute(for: sessionLink.connection) { hub in
      guard let connection = hub.client(sessionLink.connection) as? SocketConnection else { return }
      for message in batch {
        message.withUnsafeBytes { connection.received($0, over: sessionLink.transport.value) }
      }
      connection.finish()
    }
  }

  private static func notifyEnd(_ sessionLink: SessionLink, of end: SocketEnd, _ services: GatewayServices) {
    services.router.execute(for: sessionLink.connection) { hub in
      (hub.client(sessionLink.connection) as? SocketConnection)?.ended(end, of: sessionLink.transport.value)
    }
  }
}
