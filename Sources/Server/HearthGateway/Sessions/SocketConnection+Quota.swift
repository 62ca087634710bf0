import HearthEngine
import HearthTransport
import HearthTree
import HearthWire

/// What the client may take of its database.
extension SocketConnection {
  /// Takes a place among the database's connections; otherwise the conversation is over.
  func takeSeat(in database: String) -> Bool {
    let (name, network) = (QuotaClientName(uid: nil, address: opening.origin.address), opening.origin.network)
    switch services.quotas.seat(in: database, of: name, from: network, connection: id) {
    case .success(let seat):
      self.seat = seat
      return true
    case .failure(let refusal):
      end(refusal)
      return false
    }
  }

  /// Returns true when a connection may go on after what the client asks: who signs in is another client from then on.
  func isSeated(for action: Command.Action) -> Bool {
    let principal: Principal
    switch action {
    case .authenticate(let next): principal = next
    case .unauthenticate: principal = .signedOut
    default: return true
    }
    guard let refusal = seat?.identify(principal, address: opening.origin.address) else { return true }
    if let database { services.quotas.note(refusal, in: database.name) }
    end(refusal)
    return false
  }

  /// Client libraries come again, later and later.
  private func end(_ refusal: QuotaRefusal) {
    session.close()
    transport?.close(code: 1013, reason: refusal.text)
  }

  /// Counts a message, and answers it when what it asks is not to be done.
  ///
  /// What makes the client ask for less, and what says who it is, is never refused. Who is over a rate is not read for as
  /// long as it takes until there is room, so that a flood waits where it comes from.
  ///
  /// - Returns: whether that was all there is to do.
  func refuses(_ message: ClientMessage, _ sizeBytes: Int) -> Bool {
    guard let seat else { return false }
    if let wait = seat.charge(WorkAmount(bytesRead: sizeBytes)) { waitForWork(milliseconds: wait.milliseconds) }
    if let refusal = seat.refusal(ofMessage: sizeBytes) {
      holdOff(milliseconds: refusal.holdMilliseconds)
      guard case .request(let request) = message, request.action.isWork else { return false }
      return refuse(request, refusal, .unavailable)
    }
    guard let refusal = seat.storageRefusal, case .request(let request) = message, request.action.bringsData else {
      return false
    }
    return refuse(request, refusal, .failed)
  }

  /// Returns true when a large answer is over the quota. The client is then told so in the service's own words.
  func refusesAnswer(of sizeBytes: Int) -> Bool {
    guard let refusal = seat?.refusal(ofAnswer: sizeBytes), let database else { return false }
    services.quotas.note(refusal, in: database.name)
    return true
  }

  private func refuse(_ request: Request, _ refusal: QuotaRefusal, _ status: Status) -> Bool {
    if let database { services.quotas.note(refusal, in: database.name) }
    send(.reply(request.number, status, .text(refusal.text)))
    return true
  }

  /// Keeps a message for later when the client still owes work of connections that it had before: a new connection is no new
  /// allowance. What says who it is goes on, since another client may owe nothing. A large message is refused, so that who
  /// owes does not fill memory.
  ///
  /// - Returns: True when the message is kept or refused. Nothing more is read then; what had been read already is kept as
  ///   well.
  func postpones(_ message: ClientMessage, _ sizeBytes: Int) -> Bool {
    if postponed.isEmpty {
      guard case .request(let request) = message, request.action.isWork, let wait = seat?.carriedMilliseconds else {
        return false
      }
      waitForWork(milliseconds: wait)
    }
    if sizeBytes > QuotaLimits.owingBytesMax, let refusal = seat?.workRefusal, case .request(let request) = message {
      return refuse(request, refusal, .unavailable)
    }
    postponed.append((message, sizeBytes))
    return true
  }

  /// Does what was kept, until the client owes again.
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

  /// The connection's work, or that of its account or network, is over the allowance.
  func waitForWork(milliseconds: Int64) {
    guard !isOverQuota, transport != nil, let database else { return }
    services.quotas.noteWait(in: database.name)
    holdOff(milliseconds: milliseconds)
  }

  /// Charges what making and sending a large answer takes.
  func chargeSending(of sizeBytes: Int) {
    guard let wait = seat?.charge(WorkAmount(bytesWritten: sizeBytes)) else { return }
    waitForWork(milliseconds: wait.milliseconds)
  }

  /// Does the work when the connection's allowance lets it: at once, or later; never once the connection has ended.
  func whenAllowed(_ work: @escaping () -> Void) {
    guard let wait = seat?.workWait else { return work() }
    hub.loop.assumeIsolated().scheduleTask(in: .milliseconds(wait.milliseconds)) {
      if self.transport != nil { self.whenAllowed(work) }
    }
  }

  /// Reads nothing for so long, and on while the connection's work is over its allowance.
  private func holdOff(milliseconds: Int64) {
    guard !isOverQuota else { return }
    isOverQuota = true
    setReading(false)
    hub.loop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      self.isOverQuota = false
      if let wait = self.seat?.workWait { return self.holdOff(milliseconds: wait.milliseconds) }
      self.takePostponed()
      self.setReading(true)
    }
  }
}

extension Request.Action {
  /// It makes the database look at or change something, and can as well be asked again.
  fileprivate var isWork: Bool {
    switch self {
    case .listen, .get, .put, .merge, .onDisconnectPut, .onDisconnectMerge: true
    default: false
    }
  }

  /// There may be more stored after it.
  fileprivate var bringsData: Bool {
    switch self {
    case .put(let put): put.write.value.bringsData
    case .merge(let merge), .onDisconnectMerge(let merge): merge.writes.contains { $0.value.bringsData }
    case .onDisconnectPut(let write): write.value.bringsData
    default: false
    }
  }
}
