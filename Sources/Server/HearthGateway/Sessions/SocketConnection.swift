import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// One client's conversation over a socket or long polls: performs what its ``ClientSession`` says, and brings it what the
/// database answers.
///
/// Used on its event loop only.
final class SocketConnection: TransportDelegate, SignedInClient {
  /// What it is called from when the conversation begins.
  private(set) var id = ConnectionID(rawValue: 0)
  /// The session id that the client names when it comes back. Anybody who knows it can end this connection, so it is
  /// never logged.
  private let sessionID = SessionID.make()
  let services: GatewayServices
  let hub: LoopHub
  let opening: SocketOpening
  var requestID: String { opening.origin.requestID }
  var session = ClientSession()
  /// What the client is signed in with, for as long as it lasts.
  var credential: VerifiedCredential?
  private(set) var database: Database?
  /// Held for as long as the connection counts.
  var seat: QuotaSlot?
  /// nil before the conversation begins and after it ends.
  var transport: (any ClientTransport)?
  /// The socket that the client has joined and will go on over.
  var successor: Successor?
  /// When the conversation began, since 1970.
  private var sinceMilliseconds: Int64 = 0
  private var isDirty = false
  /// There is no such database yet; the client's first request makes it.
  private var awaitsRequest = false
  var commands: [Command] = []
  /// Bytes of the messages that `commands` came from.
  private var commandBytes = 0
  /// Nothing is read from the client until more of its requests are answered.
  var isHeldBack = false
  /// Nothing is read from the client for a moment: it is over a quota.
  var isOverQuota = false
  /// Messages that wait, with their sizes, until the client has paid for the work of its connections before this one.
  var postponed: [(message: ClientMessage, sizeBytes: Int)] = []
  /// Nothing is read from the client until somebody has said whose the token is that it has shown.
  var isVerifying = false
  /// What is to be done once a large value is ready to be sent; nil when nothing waits for one. Events then wait too:
  /// ``chooseWay()`` follows its change.
  var behind: [(SocketConnection) -> Void]?

  init(_ opening: SocketOpening, hub: LoopHub, services: GatewayServices) {
    self.opening = opening
    self.hub = hub
    self.services = services
  }

  // MARK: The transport's side

  /// Begins the conversation.
  func open(over transport: any ClientTransport) {
    self.transport = transport
    sinceMilliseconds = SystemClock.now.wallMilliseconds
    id = hub.add(self)
    chooseWay()
    guard services.databases.canOpen(opening.namespace) else { return refuseNamespace() }
    // The client sets its clock by the hello, so the hello does not wait for the database.
    send(
      .hello(
        .init(milliseconds: SystemClock.now.wallMilliseconds, host: opening.host, session: sessionID)))
    hub.flush()
    if let database = services.databases.opened(opening.namespace) {
      begin(database)
      return finish()
    }
    // A page's image can begin a conversation, and nothing more: a database is made for who asks something of it.
    if services.databases.exists(opening.namespace) { openDatabase() } else { awaitsRequest = true }
  }

  var shown: ShownClient? {
    guard database != nil, transport != nil else { return nil }
    return ShownClient(
      id: id, kind: transport is SocketTransport ? .socket : .poll, database: opening.namespace,
      uid: credential?.shownUID, tenant: credential?.shownTenant, readsAll: credential?.readsAll ?? false,
      address: opening.origin.address, agent: opening.agent, sinceMilliseconds: sinceMilliseconds,
      isPaused: isHeldBack || isOverQuota || isVerifying, traffic: transport?.directLine?.outlet.traffic)
  }

  private func openDatabase() {
    let opened = services.databases.database(opening.namespace, .byMode, on: hub.loop)
    opened.assumeIsolated().whenComplete { result in self.databaseOpened(result) }
  }

  /// Takes one whole message. ``finish()`` follows once all that has come is passed on.
  ///
  /// - Parameter message: valid during the call only.
  func received(_ message: UnsafeRawBufferPointer) {
    let decoded: ClientMessage
    do { decoded = try ClientMessage.decode(message) } catch {
      guard let refusal = ClientMessage.refusal(ofMisencoded: message) else { return violation(error.description) }
      decoded = refusal
    }
    received(decoded, sizeBytes: message.count)
  }

  func received(_ message: ClientMessage, sizeBytes: Int) {
    guard !postpones(message, sizeBytes), !refuses(message, sizeBytes) else { return }
    var outputs: [ClientSession.Output] = []
    commandBytes += sizeBytes
    if awaitsRequest, case .request = message {
      awaitsRequest = false
      openDatabase()
    }
    session.receive(message, sizeBytes: sizeBytes, into: &outputs)
    perform(outputs)
  }

  /// The conversation is over. Nothing is called after it.
  func ended(_ end: SocketEnd) {
    session.close()
    setCredential(nil)
    hub.remove(self)
    services.sessions.remove(sessionID)
    (commands, behind, postponed) = ([], nil, [])
    database?.submit([Command(connection: id, action: .disconnect)])
    (database, seat) = (nil, nil)
    transport = nil
    endSuccessor()
    services.logger.debug("socket closed", metadata: ["trace": "\(trace)", "end": "\(end)", "request": "\(requestID)"])
  }

  /// Another connection of the same client takes over.
  func replace() { transport?.close(code: 1000, reason: "the client has connected again") }

  // MARK: The hub's side

  func flush() {
    isDirty = false
    transport?.flush()
  }

  func markDirty() {
    guard !isDirty, transport?.directLine == nil else { return }
    isDirty = true
    hub.markDirty(self)
  }

  func setReading(_ isReading: Bool) {
    guard !isReading || !isHeldBack && !isVerifying && !isOverQuota else { return }
    transport?.setReading(isReading)
  }

  // MARK: The database's side

  private func databaseOpened(_ result: Result<Database, any Error>) {
    guard let transport else { return }
    switch result {
    case .success(let database):
      begin(database)
      finish()
    case .failure(let problem):
      if problem as? DatabaseProblem == .unknown { return refuseNamespace() }
      session.close()
      transport.close(code: 1013, reason: "the database is not available")
    }
  }

  /// The database is deleted.
  func databaseEnded(_ name: String) {
    if database?.name == name { refuseNamespace("This database was deleted.") }
  }

  func sendAway(from name: String?) {
    guard name == nil || database?.name == name else { return }
    session.close()
    transport?.close(code: 1012, reason: "connect again")
  }

  /// Clients do not come back after this, which is right for an address that is wrong.
  private func refuseNamespace(
    _ text: String = "There is no such database. Check that the database URL is configured correctly."
  ) {
    session.close()
    send(.shutdown(text))
    flush()
    transport?.close(code: 1000, reason: "")
  }

  var hasDatabase: Bool { database != nil }

  /// A session that this client had before is over before anything of this one is handled.
  private func begin(_ database: Database) {
    guard takeSeat(in: database.name) else { return }
    self.database = database
    if let last = opening.lastSession { services.sessions.end(last, before: id, of: database, services.router) }
    services.sessions.insert(sessionID, id, database: database.name)
    let origin = opening.origin
    commands.append(
      Command(connection: id, address: origin.addressClass, network: origin.network, action: .connect))
    var outputs: [ClientSession.Output] = []
    session.opened(into: &outputs)
    perform(outputs)
  }

  // MARK: Doing what the session says

  func perform(_ outputs: [ClientSession.Output]) {
    var outputs = outputs
    var index = 0
    while index < outputs.count {
      switch outputs[index] {
      case .submit(let action, let request):
        if case .unauthenticate = action { setCredential(nil) }
        // What comes after it is not asked by who was there before.
        guard isSeated(for: action) else { return }
        commands.append(Command(connection: id, request: request, action: action))
      case .send(let message): send(message)
      case .verify(let credential):
        if let result = verify(credential) { session.verified(result, into: &outputs) }
      case .switchTransports: switchTransports()
      case .close(let reason): violation(reason)
      }
      index += 1
    }
  }

  func violation(_ reason: String) {
    services.logger.info(
      "socket refused", metadata: ["trace": "\(trace)", "reason": "\(reason)", "request": "\(requestID)"])
    session.close()
    transport?.close(code: 1008, reason: "")
  }

  /// How the log names this connection.
  private var trace: String { String(id.rawValue, radix: 16) }

  /// One hand-over to the database for all that came in together, one write for all that goes out.
  func finish() {
    if let database {
      if !database.submit(commands, sizeBytes: commandBytes) { hub.pause(self) }
      (commands, commandBytes) = ([], 0)
    }
    if session.unansweredBytes > ClientSession.unansweredBytesMax {
      isHeldBack = true
      setReading(false)
    }
    hub.flush()
  }
}
