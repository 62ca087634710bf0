import HearthEngine
import HearthTransport
import HearthTree
import HearthWire

/// The client's quotas for its database.
extension SocketConnection {
  /// Takes a slot among the database's connections; closes the session when there is none.
  func takeQuotaSlot(in database: String) -> Bool {
    let (name, network) = (QuotaClientName(uid: nil, address: opening.origin.address), opening.origin.network)
    switch services.quotas.takeSlot(in: database, of: name, from: network, connection: id) {
    case .success(let quotaSlot):
      self.quotaSlot = quotaSlot
      return true
    case .failure(let refusal):
      end(refusal)
      return false
    }
  }

  /// Returns true when a connection may continue after the client's action: a client that signs in counts as another
  /// one from then on.
  func keepsQuotaSlot(for action: Command.Action) -> Bool {
    let principal: Principal
    switch action {
    case .authenticate(let next): principal = next
    case .unauthenticate: principal = .signedOut
    default: return true
    }
    guard let refusal = quotaSlot?.identify(principal, address: opening.origin.address) else { return true }
    if let database { services.quotas.note(refusal, in: database.name) }
    end(refusal)
    return false
  }

  /// Closes the connection after a refusal. Client libraries reconnect with growing delays.
  private func end(_ refusal: QuotaRefusal) {
    session.close()
    transport?.close(code: 1013, reason: refusal.text)
  }

  /// Counts a message, and refuses it when its request must not be carried out.
  ///
  /// Requests that reduce the client's load, and sign-ins, are never refused. A client over a rate is not read until
  /// there is room, so that a flood stays at the client.
  ///
  /// - Returns: true when the message is done with.
  func refuses(_ message: ClientMessage, _ sizeBytes: Int) -> Bool {
    guard let quotaSlot else { return false }
    if let wait = quotaSlot.charge(WorkAmount(bytesRead: sizeBytes)) { waitForWork(milliseconds: wait.milliseconds) }
    if let refusal = quotaSlot.refusal(ofMessage: sizeBytes) {
      pauseReading(milliseconds: refusal.pauseMilliseconds)
      guard case .request(let request) = message, request.action.isWork else { return false }
      return refuse(request, refusal, .unavailable)
    }
    guard let refusal = quotaSlot.storageRefusal, case .request(let request) = message, request.action.addsData else {
      return false
    }
    return refuse(request, refusal, .failed)
  }

  /// Returns true when a large response is over the quota. The client then gets Firebase's own refusal.
  func refusesAnswer(of sizeBytes: Int) -> Bool {
    guard let refusal = quotaSlot?.refusal(ofAnswer: sizeBytes), let database else { return false }
    services.quotas.note(refusal, in: database.name)
    return true
  }

  private func refuse(_ request: Request, _ refusal: QuotaRefusal, _ status: Status) -> Bool {
    if let database { services.quotas.note(refusal, in: database.name) }
    send(.reply(request.number, status, .text(refusal.text)))
    return true
  }

  /// Postpones a message while the client still has a debt from its earlier connections: a new connection is no new
  /// allowance. Sign-ins are not postponed, since another client may have no debt. A large message is refused, so that
  /// such clients do not fill memory.
  ///
  /// - Returns: true when the message is postponed or refused. The client is not read then; messages that were read
  ///   already are postponed as well.
  func postpones(_ message: ClientMessage, _ sizeBytes: Int) -> Bool {
    if postponed.isEmpty {
      guard case .request(let request) = message, request.action.isWork, let wait = quotaSlot?.inheritedWaitMilliseconds
      else {
        return false
      }
      waitForWork(milliseconds: wait)
    }
    if sizeBytes > QuotaLimits.unpaidBytesMax, let refusal = quotaSlot?.workRefusal,
      case .request(let request) = message
    {
      return refuse(request, refusal, .unavailable)
    }
    postponed.append((message, sizeBytes))
    return true
  }

  /// Handles the postponed messages, until the client has a debt again.
  private func takePostponed() {
    guard !postponed.isEmpty else { return }
    let messages = postponed
    postponed = []
    for (index, (message, sizeBytes)) in messages.enumerated() {
      guard transport != nil, !isOverQuota else {
        postponed += messages[index...]
        break
      }
      received(message, sizeBytes: sizeBytes)
    }
    finish()
  }

  /// Pauses reading because the work of the connection, its account or its network is over the allowance.
  func waitForWork(milliseconds: Int64) {
    guard !isOverQuota, transport != nil, let database else { return }
    services.quotas.noteWait(in: database.name)
    pauseReading(milliseconds: milliseconds)
  }

  /// Charges the work of encoding and sending a large response.
  func chargeSending(of sizeBytes: Int) {
    guard let wait = quotaSlot?.charge(WorkAmount(bytesWritten: sizeBytes)) else { return }
    waitForWork(milliseconds: wait.milliseconds)
  }

  /// Runs the work when the connection's allowance permits it: at once, or later; never once the connection has ended.
  func whenAllowed(_ work: @escaping () -> Void) {
    guard let wait = quotaSlot?.workWait else { return work() }
    hub.loop.assumeIsolated().scheduleTask(in: .milliseconds(wait.milliseconds)) {
      if self.transport != nil { self.whenAllowed(work) }
    }
  }

  /// Pauses reading for so long, and further while the connection's work is over its allowance.
  private func pauseReading(milliseconds: Int64) {
    guard !isOverQuota else { return }
    isOverQuota = true
    setReading(false)
    hub.loop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      self.isOverQuota = false
      if let wait = self.quotaSlot?.workWait { return self.pauseReading(milliseconds: wait.milliseconds) }
      self.takePostponed()
      self.setReading(true)
    }
  }
}

extension Request.Action {
  /// True when the action makes the database read or change data, and can be repeated later.
  fileprivate var isWork: Bool {
    switch self {
    case .listen, .get, .put, .merge, .onDisconnectPut, .onDisconnectMerge: true
    default: false
    }
  }

  /// True when the action may store more data.
  fileprivate var addsData: Bool {
    switch self {
    case .put(let put): put.write.value.addsData
    case .merge(let merge), .onDisconnectMerge(let merge): merge.writes.contains { $0.value.addsData }
    case .onDisconnectPut(let write): write.value.addsData
    default: false
    }
  }
}
