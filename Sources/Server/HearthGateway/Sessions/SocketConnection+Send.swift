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
    let (message, faults) = FaultScope.run(.refuse) { session.message(for: reply, to: request) }
    guard let message else { return }
    if isPausedForReplies, session.unansweredBytes <= ClientSession.unansweredBytesMax / 2 {
      isPausedForReplies = false
      setReading(true)
    }
    switch reply {
    case .value(let node) where faults.isIncomplete:
      // Nothing but a priority is read to make a message.
      answerLarge(request, .short) { node.priorityNode }
    case .value:
      guard case .reply(_, _, .node(let node)) = message, LargeValuePool.takes(node) else { return send(message) }
      answerLarge(request, PoolQueue.Lane(node)) { node }
    // Reading many children takes long, however few match.
    case .result(let result) where result.childrenReadMax > LargeValuePool.loopChildrenMax:
      answerLarge(request, PoolQueue.Lane(result)) { result.node }
    case .result(let result):
      guard let node = FaultScope.resident({ result.node }), !LargeValuePool.takes(node) else {
        return answerLarge(request, .short) { result.node }
      }
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

  private func answerLarge(_ request: Int32, _ lane: PoolQueue.Lane, _ value: @escaping @Sendable () -> Node) {
    let bytesMax = min(DataLimits.readSizeBytesMax, quotaSlot?.answerBytesMax ?? .max)
    let (quotas, name) = (services.quotas, database?.name ?? "")
    sendLarge(lane) {
      let node = value()
      guard JSONSize.exceeds(node, bytes: bytesMax) else { return .reply(request, .ok, .node(node)) }
      if bytesMax < DataLimits.readSizeBytesMax { quotas.note(QuotaRefusal(.answerBytes, bytesMax), in: name) }
      return nil
    } otherwise: { connection, status, text in
      connection.send(.reply(request, status, .text(text)))
    }
  }

  func deliver(_ event: SharedEvent, tag: Int32?) {
    if deferred != nil { return wait { $0.deliver(event, tag: tag) } }
    guard event.isLarge else { return send(event.message(tag: tag)) }
    deferred = []
    chooseDelivery()
    event.largeMessage(tag: tag, for: poolClient, in: services.pool, on: hub.loop) { message in
      self.sendLarge(message) { $0.endListen(ListenName(path: event.event.path, tag: tag), $1, $2) }
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
  /// - Parameters:
  ///   - message: returns nil for a message that is too large for every client.
  ///   - refuse: called when the message cannot be sent, with the reason.
  private func sendLarge(
    _ lane: PoolQueue.Lane, _ message: @escaping @Sendable () -> ServerMessage?,
    otherwise refuse: @escaping (_ connection: SocketConnection, _ status: Status, _ text: String) -> Void
  ) {
    deferred = []
    chooseDelivery()
    whenAllowed {
      let memory = self.services.pool.memory
      self.services.pool.run(on: self.hub.loop, for: self.poolClient, lane: lane) { () -> LargeMessage in
        message().map { .message(OutboundMessage($0, in: memory)) } ?? .tooLarge
      } completion: { encoded in
        if case .message(let message)? = encoded { self.chargeSending(of: message.sizeBytes) }
        self.sendLarge(encoded, otherwise: refuse)
      }
    }
  }

  /// Sends an encoded large message, and then those that waited behind it.
  ///
  /// - Parameter message: nil when its data cannot be read, or the server stops.
  private func sendLarge(
    _ message: LargeMessage?,
    otherwise refuse: (_ connection: SocketConnection, _ status: Status, _ text: String) -> Void
  ) {
    let waiting = deferred ?? []
    deferred = nil
    switch message {
    case .message(let message)?
    where message.sizeBytes <= transport?.messageBytesMax ?? 0 && !refusesAnswer(of: message.sizeBytes): send(message)
    case .message?, .tooLarge?: refuse(self, .tooBig, RESTFailure.tooBig.text)
    case nil: refuse(self, .unavailable, RESTFailure.unavailable.text)
    }
    // Another of the waiting messages may be large as well: then the rest waits behind it.
    for step in waiting { step(self) }
    chooseDelivery()
    finish()
  }

  /// Ends a listen whose value cannot be sent: by its outstanding response, or by a cancellation.
  private func endListen(_ name: ListenName, _ status: Status, _ text: String) {
    commands.append(Command(connection: id, action: .unlisten(name.path, tag: name.tag)))
    if !session.refuseListen(name, status, text), let message = session.cancellation(of: name) { send(message) }
  }

  /// The connection as a client of the pool.
  var poolClient: PoolClient {
    PoolClient(connection: id, claimant: ShareClaimant(network: opening.origin.network))
  }

  func wait(_ step: @escaping (SocketConnection) -> Void) { deferred?.append(step) }
}
