import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthTransport
import HearthTree
import NIOCore

/// A client's event stream: a connection of the database with one listen, sent as server-sent events.
///
/// The response begins when the listen is answered, so a denial is refused like that of any other request. Used on its
/// event loop only.
final class StreamConnection: SignedInClient {
  /// The path, query and form of a stream.
  struct Subject {
    var path: Path
    var query: Query?
    var form: JSONForm
  }

  private enum State {
    /// The listen is not answered.
    case asking(RESTResponse.Completion)
    /// The response began, and the stream is not open yet.
    case starting
    case open(HTTPStream)
    /// The last event is sent.
    case ending(HTTPStream)
    case ended
  }

  private(set) var id = ConnectionID(rawValue: 0)
  let requestID: String
  /// The address of the request.
  private let address: String
  /// The time of the request, in milliseconds since 1970.
  private let sinceMilliseconds = SystemClock.now.wallMilliseconds
  let services: GatewayServices
  let hub: LoopHub
  var credential: VerifiedCredential?
  private let principal: Principal
  private let subject: Subject
  private let form: StreamForm
  private let eventSizeBytesMax: Int
  private var state: State
  private var database: Database?
  /// The quota slot, held as long as the stream counts.
  private var quotaSlot: QuotaSlot?
  /// True when the credential ended before the database was open.
  private var isCredentialEnded = false
  /// True when the client was sent the first value.
  private var hasSentFirstValue = false
  /// The events that wait for the stream.
  private var queued: [(bytes: ByteBuffer, text: SharedText?)] = []
  /// True when ``queued`` has the last event.
  private var isEnding = false
  private var isDirty = false
  /// True when the last event was written, and all before it.
  private var hasWrittenLast = false
  /// The work behind a large event that is being encoded; nil when none waits for one.
  private var deferred: [(StreamConnection) -> Void]?

  /// The number of the request to listen, and the tag of a listen with a query: a stream has one listen.
  private static let listenNumber: Int32 = 1

  /// Creates a stream for a verified caller. To be called in the turn of the loop in which the caller's credential was verified.
  ///
  /// - Parameters:
  ///   - requestID: the request's id in logs.
  ///   - address: the address of the request.
  ///   - eventSizeBytesMax: bytes of JSON in one event; a longer one ends the stream.
  ///   - completion: called with a refusal, when it comes before ``begin(_:completion:)``.
  init(
    _ subject: Subject, as caller: VerifiedCaller, requestID: String, address: String, hub: LoopHub,
    services: GatewayServices,
    eventSizeBytesMax: Int = DataLimits.eventSizeBytesMax, completion: @escaping RESTResponse.Completion
  ) {
    (self.requestID, self.address) = (requestID, address)
    self.hub = hub
    self.services = services
    self.subject = subject
    self.eventSizeBytesMax = eventSizeBytesMax
    principal = caller.principal
    form = StreamForm(depth: subject.path.count, json: subject.form)
    state = .asking(completion)
    id = hub.add(self)
    setCredential(caller.credential)
  }

  /// Listens at the open database.
  ///
  /// - Parameter completion: called once, with the refusal or the beginning of the stream.
  func begin(_ database: Database, completion: @escaping RESTResponse.Completion) {
    guard case .asking = state else { return }
    state = .asking(completion)
    guard !isCredentialEnded else { return refuse(RESTResponse(.expiredToken)) }
    let client = principal.isAdministrator ? nil : QuotaClientName(uid: principal.uid, address: address)
    let network = NetworkPrefix(address: address)
    switch services.quotas.takeSlot(in: database.name, of: client, from: network, connection: id) {
    case .success(let quotaSlot): self.quotaSlot = quotaSlot
    case .failure(let refusal): return refuse(RESTResponse(RESTFailure(refusal)))
    }
    self.database = database
    var commands = [Command(connection: id, network: network, action: .connect)]
    if principal !== Principal.signedOut { commands.append(Command(connection: id, action: .authenticate(principal))) }
    // Without a hash: for an empty path only the response itself tells that there is no value.
    let listen = ListenRequest(subject.path, query: subject.query, tag: subject.query == nil ? nil : Self.listenNumber)
    commands.append(Command(connection: id, request: Self.listenNumber, action: .listen(listen)))
    database.submit(commands)
  }

  /// Responds with a refusal instead of a stream.
  func refuse(_ response: RESTResponse) {
    guard case .asking(let completion) = state else { return }
    closed()
    completion(response)
  }

  var hasDatabase: Bool { database != nil }

  var clientDescription: ClientDescription? {
    guard let database else { return nil }
    var traffic: Outlet.Traffic?
    if case .open(let stream) = state { traffic = stream.outlet?.traffic }
    return ClientDescription(
      id: id, kind: .stream, database: database.name, uid: principal.uid,
      tenant: principal.auth?.tenantOfAuth, readsAll: principal.readsAll, address: address,
      sinceMilliseconds: sinceMilliseconds, isPaused: false, traffic: traffic)
  }

  func submit(_ action: Command.Action) {
    if let database {
      database.submit([Command(connection: id, action: action)])
    } else if case .endCredential = action {
      isCredentialEnded = true
    }
  }
}

// MARK: - Database effects

extension StreamConnection {
  func answer(_ request: Int32, _ reply: Reply) {
    guard case .asking(let completion) = state, request == Self.listenNumber else { return }
    if case .failure(let failure) = reply { return refuse(RESTResponse(RESTFailure(failure))) }
    if !hasSentFirstValue {
      hasSentFirstValue = true
      queued.append((StreamText.nothing, nil))
    }
    state = .starting
    services.logger.debug("stream opened", metadata: ["trace": "\(trace)", "request": "\(requestID)"])
    completion(.eventStream(NIOLoopBound<any HTTPStreamDelegate>(self, eventLoop: hub.loop)))
  }

  func deliver(_ event: SharedEvent, tag: Int32?) {
    if deferred != nil { return wait { $0.deliver(event, tag: tag) } }
    hasSentFirstValue = true
    let texts = event.streamTexts
    if let text = texts.text(form) { return send(text) }
    deferred = []
    chooseDelivery()
    let client = PoolClient(connection: id, claimant: ShareClaimant(network: NetworkPrefix(address: address)))
    texts.make(form, sizeBytesMax: eventSizeBytesMax, for: client, in: services.pool, on: hub.loop) { text in
      let waiting = self.deferred ?? []
      self.deferred = nil
      // Without this event the later ones would mislead. The client opens another stream.
      if let text { self.send(text) } else { self.end() }
      for step in waiting { step(self) }
      self.chooseDelivery()
      self.flush()
    }
  }

  /// Selects whether events go directly to the client's outlet.
  private func chooseDelivery() {
    if deferred == nil, case .open(let stream) = state, let outlet = stream.outlet {
      hub.deliverDirectly(id, over: outlet, in: .stream(form))
    } else {
      hub.deliverThroughClient(id)
    }
  }

  /// Handles the deletion of the database.
  func databaseEnded(_ name: String) {
    guard database?.name == name else { return }
    if case .asking = state { return refuse(RESTResponse(.unknownDatabase)) }
    deferred = nil
    send(StreamText.databaseDeleted)
    end()
  }

  func disconnectForRetry(from name: String?) {
    guard name == nil || database?.name == name else { return }
    if case .asking = state { return refuse(RESTResponse(.unavailable)) }
    deferred = nil
    end()
  }

  func cancel(_ name: ListenName, _ cause: Cancellation) {
    if deferred != nil { return wait { $0.cancel(name, cause) } }
    if case .asking = state { return refuse(RESTResponse(.permissionDenied)) }
    send(StreamText.permissionDenied)
    end()
  }

  func endAuthentication() {
    if deferred != nil { return wait { $0.endAuthentication() } }
    if case .asking = state { return refuse(RESTResponse(.expiredToken)) }
    send(StreamText.credentialEnded)
    end()
  }

  /// Ignores the explanation: a refused stream has only its status.
  func explain(_ denial: Denial) {}

  private func wait(_ step: @escaping (StreamConnection) -> Void) { deferred?.append(step) }
}

// MARK: - Hub calls

extension StreamConnection {
  func flush() {
    isDirty = false
    if case .open(let stream) = state { stream.flush() }
  }

  /// Ignores the call: the client of a stream is not read.
  func setReading(_ isReading: Bool) {}

  /// Ignores the call: streams have no session that could be replaced.
  func replace() {}

  func track(_ mark: SentMark) {
    if hasWrittenLast { mark.sent() } else { whenWritten { mark.sent() } }
  }

  /// Calls `body` once all events sent until now are written to the connection, which may be never.
  func whenWritten(_ body: @escaping () -> Void) {
    if deferred != nil { return wait { $0.whenWritten(body) } }
    switch state {
    case .open(let stream), .ending(let stream): stream.whenWritten(body)
    case .asking, .starting, .ended: break
    }
  }

  /// The connection's name in the log.
  private var trace: String { String(id.rawValue, radix: 16) }
}

// MARK: - Stream callbacks

extension StreamConnection: HTTPStreamDelegate {
  var quietText: ByteBuffer { StreamText.keepAlive }

  func opened(_ stream: HTTPStream) {
    guard case .starting = state else { return stream.end() }
    state = .open(stream)
    for part in queued { stream.send(part.bytes, of: part.text) }
    queued = []
    chooseDelivery()
    if isEnding { end() }
  }

  func closed() {
    let wasEnding = if case .ending = state { true } else { false }
    state = .ended
    release()
    if wasEnding {
      // The last event was most likely that of a sign-out, whose cancellations are still to come and to be tracked.
      hub.loop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.hub.remove(self) }
    } else {
      hub.remove(self)
    }
    services.logger.debug("stream closed", metadata: ["trace": "\(trace)", "request": "\(requestID)"])
  }

  private func send(_ text: StreamTexts.Text) {
    switch text {
    case .text(let bytes, let text): send(bytes, of: text)
    case .nothing: break
    case .tooLarge:
      send(StreamText.tooLarge)
      end()
    }
  }

  private func send(_ bytes: ByteBuffer, of text: SharedText? = nil) {
    switch state {
    case .asking, .starting: if !isEnding { queued.append((bytes, text)) }
    case .open(let stream):
      stream.send(bytes, of: text)
      guard !isDirty else { return }
      isDirty = true
      hub.markDirty(self)
    case .ending, .ended: break
    }
  }

  /// Ends the stream behind the sent events.
  private func end() {
    switch state {
    case .asking, .starting: isEnding = true
    case .open(let stream):
      state = .ending(stream)
      chooseDelivery()
      release()
      stream.whenWritten { self.hasWrittenLast = true }
      stream.end()
    case .ending, .ended: break
    }
  }

  /// Releases the listen, and its resources.
  private func release() {
    (deferred, queued) = (nil, [])
    setCredential(nil)
    submit(.disconnect)
    (database, quotaSlot) = (nil, nil)
  }
}
