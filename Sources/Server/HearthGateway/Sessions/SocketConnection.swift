import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// A client's connection over a socket or long polls: it performs the outputs of its ``ClientSession``, and passes the
/// database's responses to it.
///
/// Used on its event loop only.
final class SocketConnection: TransportDelegate, SignedInClient {
  /// The connection's id from the beginning of the session.
  private(set) var id = ConnectionID(rawValue: 0)
  /// The session id that the client sends when it reconnects. A client that knows it can end this connection, so it is
  /// never logged.
  private let sessionID = SessionIDGenerator.make()
  let services: GatewayServices
  let hub: LoopHub
  let opening: SocketOpening
  var requestID: String { opening.origin.requestID }
  var session = ClientSession()
  /// The client's credential, for as long as it is valid; nil for a signed-out client.
  var credential: VerifiedCredential?
  private(set) var database: Database?
  /// The quota slot, held as long as the connection counts.
  var quotaSlot: QuotaSlot?
  /// The transport; nil before the session begins and after it ends.
  var transport: (any ClientTransport)?
  /// The joined socket over which the client will continue; nil when there is none.
  var successor: Successor?
  /// The time at which the session began, in milliseconds since 1970.
  private var sinceMilliseconds: Int64 = 0
  private var isDirty = false
  /// True when the database does not exist yet; the client's first request makes it.
  private var awaitsRequest = false
  var commands: [Command] = []
  /// The bytes of the messages that `commands` came from.
  private var commandBytes = 0
  /// True when the client is not read until more of its requests are answered.
  var isPausedForReplies = false
  /// True when the client is not read for a while, because it is over a quota.
  var isOverQuota = false
  /// The postponed messages, with their sizes, until the client has paid its debt from earlier connections.
  var postponed: [(message: ClientMessage, sizeBytes: Int)] = []
  /// The messages that wait for a large one to be decoded; nil when none is being decoded.
  var undecoded: [[UInt8]]?
  /// The bytes of that large message.
  var decodingBytes = 0
  /// True when the client is not read until a plugin has verified its token.
  var isVerifying = false
  /// The work behind a large value that is being encoded; nil when none waits for one. Events then wait too:
  /// ``chooseDelivery()`` is called when this changes.
  var deferred: [(SocketConnection) -> Void]?

  init(_ opening: SocketOpening, hub: LoopHub, services: GatewayServices) {
    self.opening = opening
    self.hub = hub
    self.services = services
  }

  // MARK: Transport callbacks

  /// Begins the session.
  func open(over transport: any ClientTransport) {
    self.transport = transport
    sinceMilliseconds = SystemClock.now.wallMilliseconds
    id = hub.add(self)
    chooseDelivery()
    guard services.databases.canOpen(opening.namespace) else { return refuseNamespace() }
    // The client may come back with its session as soon as it has the hello.
    services.sessions.insert(sessionID, id, database: opening.namespace)
    // The client sets its clock by the hello, so the hello does not wait for the database.
    send(
      .hello(
        .init(milliseconds: SystemClock.now.wallMilliseconds, host: opening.host, session: sessionID)))
    hub.flush()
    if let database = services.databases.opened(opening.namespace) {
      begin(database)
      return finish()
    }
    // A page's image can begin a session without further messages: a database is made only for a client that sends a
    // request.
    if services.databases.exists(opening.namespace) { openDatabase() } else { awaitsRequest = true }
  }

  var clientDescription: ClientDescription? {
    guard database != nil, transport != nil else { return nil }
    return ClientDescription(
      id: id, kind: transport is SocketTransport ? .socket : .poll, database: opening.namespace,
      uid: credential?.describedUID, tenant: credential?.describedTenant, readsAll: credential?.readsAll ?? false,
      address: opening.origin.address, agent: opening.agent, sinceMilliseconds: sinceMilliseconds,
      isPaused: isPausedForReplies || isOverQuota || isVerifying, traffic: transport?.directOutlet?.outlet.traffic)
  }

  private func openDatabase() {
    let opened = services.databases.database(opening.namespace, .byMode, on: hub.loop)
    opened.assumeIsolated().whenComplete { result in self.databaseOpened(result) }
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

  /// Handles the end of the session. No call comes after it.
  func ended(_ end: SocketEnd) {
    session.close()
    setCredential(nil)
    hub.remove(self)
    services.sessions.remove(sessionID)
    (commands, deferred, postponed, undecoded) = ([], nil, [], nil)
    database?.submit([Command(connection: id, action: .disconnect)])
    (database, quotaSlot) = (nil, nil)
    transport = nil
    endSuccessor()
    services.logger.debug("socket closed", metadata: ["trace": "\(trace)", "end": "\(end)", "request": "\(requestID)"])
  }

  /// Closes because another connection of the same client replaces this one.
  func replace() { transport?.close(code: 1000, reason: "the client has connected again") }

  // MARK: Hub calls

  func flush() {
    isDirty = false
    transport?.flush()
  }

  func markDirty() {
    guard !isDirty, transport?.directOutlet == nil else { return }
    isDirty = true
    hub.markDirty(self)
  }

  func setReading(_ isReading: Bool) {
    guard !isReading || !isPausedForReplies && !isVerifying && !isOverQuota && undecoded == nil else { return }
    transport?.setReading(isReading)
  }

  // MARK: Opening the database

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

  /// Handles the deletion of the database.
  func databaseEnded(_ name: String) {
    if database?.name == name { refuseNamespace("This database was deleted.") }
  }

  func disconnectForRetry(from name: String?) {
    guard name == nil || database?.name == name else { return }
    session.close()
    transport?.close(code: 1012, reason: "connect again")
  }

  /// Refuses the namespace. Clients do not reconnect after this, which is right for a wrong URL.
  private func refuseNamespace(
    _ text: String = "There is no such database. Check that the database URL is configured correctly."
  ) {
    session.close()
    send(.shutdown(text))
    flush()
    transport?.close(code: 1000, reason: "")
  }

  var hasDatabase: Bool { database != nil }

  /// Begins with the open database. An earlier session of this client ends before any request of this one is handled.
  private func begin(_ database: Database) {
    guard takeQuotaSlot(in: database.name) else { return }
    self.database = database
    if let last = opening.lastSession { services.sessions.end(last, before: id, of: database, services.router) }
    let origin = opening.origin
    commands.append(
      Command(connection: id, address: origin.addressClass, network: origin.network, action: .connect))
    var outputs: [ClientSession.Output] = []
    session.opened(into: &outputs)
    perform(outputs)
  }

  // MARK: Performing the session's outputs

  func perform(_ outputs: [ClientSession.Output]) {
    var outputs = outputs
    var index = 0
    while index < outputs.count {
      switch outputs[index] {
      case .submit(let action, let request):
        if case .unauthenticate = action { setCredential(nil) }
        // Later commands would come from another client than before.
        guard keepsQuotaSlot(for: action) else { return }
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

  /// The connection's name in the log.
  private var trace: String { String(id.rawValue, radix: 16) }

  /// Submits the queued commands to the database at once, and writes the queued messages at once.
  func finish() {
    if let database {
      if !database.submit(commands, sizeBytes: commandBytes) { hub.pause(self) }
      (commands, commandBytes) = ([], 0)
    }
    if session.unansweredBytes > ClientSession.unansweredBytesMax {
      isPausedForReplies = true
      setReading(false)
    }
    hub.flush()
  }
}
