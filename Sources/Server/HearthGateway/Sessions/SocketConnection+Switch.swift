import HearthTransport
import HearthWire

// A browser that began with long polls continues over a socket as soon as it has one. Two control messages of the
// protocol coordinate this: `a` (the transport is switched) and `n` (the end of transmission over a transport).
//
//   client                             server
//   opens /.ws?…&s=<session>           switch (a) on the socket
//   pings on the socket, twice         pongs there
//   a on the socket, n on the polls    the queued messages on the polls, then n there as their last message
//   everything else on the socket      everything else on the socket
//
// Messages of the client on the socket wait until its n has arrived over the polls.

extension SocketConnection {
  /// A socket that the client has joined while its session still uses another transport.
  struct Successor {
    let transport: any ClientTransport
    /// The messages that arrived over it before the client ended the other transport. Kept as bytes: parsed, they may
    /// take ten times as much memory, and the client decides how long they wait.
    var held: [[UInt8]] = []
    var heldBytes = 0
  }

  /// Takes a socket over which the client wants to continue.
  ///
  /// - Returns: false when this session does not wait for one.
  func join(_ socket: any ClientTransport) -> Bool {
    guard transport is any RetiringTransport, successor == nil else { return false }
    successor = Successor(transport: socket)
    return true
  }

  /// Takes a complete message of a joined socket. ``finish()`` follows.
  func received(_ message: UnsafeRawBufferPointer, over socket: any ClientTransport) {
    if transport === socket { return received(message) }
    guard successor?.transport === socket else { return }
    let decoded: ClientMessage
    do { decoded = try ClientMessage.decode(message) } catch { return violation(error.description) }
    switch decoded {
    case .ping:
      socket.send(.pong)
      socket.flush()
    case .otherControl, .endOfTransmission: break
    case .request: hold(message)
    }
  }

  private func hold(_ message: UnsafeRawBufferPointer) {
    successor?.held.append(Array(message))
    successor?.heldBytes += message.count
    hub.heldBytes += message.count
    let own = successor?.heldBytes ?? 0
    if own > ClientSession.heldBytesMax || hub.heldBytes > LoopHub.heldBytesMax && own > LoopHub.heldBytesFree {
      violation("too many messages before the other transport was closed")
    }
  }

  /// Removes and returns the joined socket, with its messages.
  private func takeSuccessor() -> Successor? {
    hub.heldBytes -= successor?.heldBytes ?? 0
    defer { successor = nil }
    return successor
  }

  /// Handles the end of a joined socket. The session continues when it did not use the socket yet.
  func ended(_ end: SocketEnd, of socket: any ClientTransport) {
    if transport === socket { return ended(end) }
    if successor?.transport === socket { _ = takeSuccessor() }
  }

  /// Switches to the joined socket: the client sends no more over the present transport.
  func switchTransports() {
    // Large values that are being encoded still go over the old transport.
    if deferred != nil { return wait { $0.switchTransports() } }
    guard let last = transport as? any RetiringTransport, let next = takeSuccessor() else { return }
    transport = next.transport
    last.retire()
    for message in next.held { message.withUnsafeBytes { received($0) } }
    finish()
  }

  func endSuccessor() {
    takeSuccessor()?.transport.close(code: 1000, reason: "the session has ended")
  }
}
