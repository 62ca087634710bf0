import HearthEngine
import HearthTree
import HearthWire

/// What the client is told. A large value is encoded away from the loop, and all that follows waits behind it.
extension SocketConnection {
  func send(_ message: OutboundMessage) {
    if behind != nil { return wait { $0.send(message) } }
    socket?.send(message)
    markDirty()
  }

  func send(_ message: ServerMessage) {
    if behind != nil { return wait { $0.send(message) } }
    socket?.send(message)
    markDirty()
  }

  func answer(_ request: Int32, _ reply: Reply) {
    if behind != nil { return wait { $0.answer(request, reply) } }
    guard let message = session.message(for: reply, to: request) else { return }
    if isHeldBack, session.unansweredBytes <= Session.unansweredBytesMax / 2 {
      isHeldBack = false
      setReading(true)
    }
    guard case .value(let node) = reply, JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) else {
      return send(message)
    }
    sendLarge(message, node) { connection in
      connection.send(.reply(request, .tooBig, .text(RESTFailure.tooBig.text)))
    }
  }

  /// An event that only this connection is told: most often the first value of a listen, which may be large.
  func tell(_ event: Event) {
    if behind != nil { return wait { $0.tell(event) } }
    guard case .put(let node) = event.change, JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) else {
      return send(event.message)
    }
    sendLarge(event.message, node) { connection in
      connection.endListen(at: event.path)
    }
  }

  /// Has a message encoded away from the loop. Until it is sent, all that follows waits, so that the order stays.
  private func sendLarge(
    _ message: ServerMessage, _ node: Node, whenTooLarge refuse: @escaping (SocketConnection) -> Void
  ) {
    behind = []
    services.pool.run(on: hub.loop) { () -> OutboundMessage? in
      JSONSize.exceeds(node, bytes: DataLimits.readSizeBytesMax) ? nil : OutboundMessage(message)
    } completion: { encoded in
      let waiting = self.behind ?? []
      self.behind = nil
      if let encoded = encoded ?? nil { self.send(encoded) } else { refuse(self) }
      for step in waiting { step(self) }
      self.finish()
    }
  }

  /// Ends a listen whose value is too large to be sent: by the answer that is still to come, or by a cancellation.
  private func endListen(at path: Path) {
    commands.append(Command(connection: id, action: .unlisten(path)))
    if !session.refuseListen(at: path) { send(.push(.cancel(path: path))) }
  }

  private func wait(_ step: @escaping (SocketConnection) -> Void) { behind?.append(step) }
}
