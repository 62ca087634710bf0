import HearthEngine
import HearthTransport
import HearthTree
import HearthWire

/// Sending to the client. A large value is encoded away from the loop, and all later messages wait behind it.
extension SocketConnection {
  func send(_ message: OutboundMessage) {
    if deferred != nil { return wait { $0.send(message) } }
    transport?.send(message)
    markDirty()
  }

  func send(_ message: ServerMessage) {
    if deferred != nil { return wait { $0.send(message) } }
    transport?.send(message)
    markDirty()
  }

  func answer(_ request: Int32, _ reply: Reply) {
    if deferred != nil { return wait { $0.answer(request, reply) } }
    guard let message = session.message(for: reply, to: request) else { return }
    if isPausedForReplies, session.unansweredBytes <= ClientSession.unansweredBytesMax / 2 {
      isPausedForReplies = false
      setReading(true)
    }
    switch reply {
    case .value(let node) where JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax):
      answerLarge(request) { node }
    // Reading many children takes long, however few match.
    case .result(let result) where result.childrenReadMax > LargeValuePool.loopChildrenMax:
      answerLarge(request) { result.node }
    case .result(let result):
      let node = result.node
      if JSONSize.exceeds(node, bytes: LargeValuePool.loopBytesMax) { return answerLarge(request) { node } }
      send(.reply(request, .ok, .node(node)))
    default: send(message)
    }
  }

  /// Selects whether events go directly to the client's outlet.
  func chooseDelivery() {
    if deferred == nil, let direct = transport?.directOutlet {
      hub.deliverDirectly(id, over: direct.outlet, in: direct.form)
    } else {
      hub.deliverThroughClient(id)
    }
  }

  private func answerLarge(_ request: Int32, _ value: @escaping @Sendable () -> Node) {
    let bytesMax = min(DataLimits.readSizeBytesMax, quotaSlot?.answerBytesMax ?? .max)
    let (quotas, name) = (services.quotas, database?.name ?? "")
    sendLarge {
      let node = value()
      guard JSONSize.exceeds(node, bytes: bytesMax) else { return .reply(request, .ok, .node(node)) }
      if bytesMax < DataLimits.readSizeBytesMax { quotas.note(QuotaRefusal(.answerBytes, bytesMax), in: name) }
      return nil
    } whenTooLarge: { connection in
      connection.send(.reply(request, .tooBig, .text(RESTFailure.tooBig.text)))
    }
  }

  func deliver(_ event: SharedEvent, tag: Int32?) {
    if deferred != nil { return wait { $0.deliver(event, tag: tag) } }
    guard event.isLarge else { return send(event.message(tag: tag)) }
    deferred = []
    chooseDelivery()
    event.largeMessage(tag: tag, in: services.pool, on: hub.loop) { message in
      self.sendLarge(message) { $0.endListen(ListenName(path: event.event.path, tag: tag)) }
    }
  }

  func cancel(_ name: ListenName, _ cause: Cancellation) {
    if deferred != nil { return wait { $0.cancel(name, cause) } }
    if let message = session.cancellation(of: name) { send(message) }
  }

  func endAuthentication() { send(.push(.authenticationEnded(.expiredToken, text: "Auth token is expired."))) }

  func explain(_ denial: Denial) {
    guard let explanation = DenialLog.explanation(of: denial) else { return }
    send(.push(.debug(explanation.rendered(file: explanation.file))))
  }

  /// Makes and encodes a message away from the loop. Until it is sent, all later messages wait, so that the order
  /// stays.
  ///
  /// - Parameter message: returns nil for a message that is too large for every client.
  private func sendLarge(
    _ message: @escaping @Sendable () -> ServerMessage?,
    whenTooLarge refuse: @escaping (SocketConnection) -> Void
  ) {
    deferred = []
    chooseDelivery()
    whenAllowed {
      let memory = self.services.pool.memory
      self.services.pool.run(on: self.hub.loop) {
        message().map { OutboundMessage($0, in: memory) }
      } completion: { encoded in
        if let encoded = encoded ?? nil { self.chargeSending(of: encoded.sizeBytes) }
        self.sendLarge(encoded ?? nil, whenTooLarge: refuse)
      }
    }
  }

  /// Sends an encoded large message, and then those that waited behind it.
  ///
  /// - Parameter message: nil for one that is too large for every client.
  private func sendLarge(_ message: OutboundMessage?, whenTooLarge refuse: (SocketConnection) -> Void) {
    let waiting = deferred ?? []
    deferred = nil
    if let message, let transport, message.sizeBytes <= transport.messageBytesMax, !refusesAnswer(of: message.sizeBytes)
    {
      send(message)
    } else {
      refuse(self)
    }
    // Another of the waiting messages may be large as well: then the rest waits behind it.
    for step in waiting { step(self) }
    chooseDelivery()
    finish()
  }

  /// Ends a listen whose value is too large to be sent: by its outstanding response, or by a cancellation.
  private func endListen(_ name: ListenName) {
    commands.append(Command(connection: id, action: .unlisten(name.path, tag: name.tag)))
    if !session.refuseListen(name), let message = session.cancellation(of: name) { send(message) }
  }

  func wait(_ step: @escaping (SocketConnection) -> Void) { deferred?.append(step) }
}
