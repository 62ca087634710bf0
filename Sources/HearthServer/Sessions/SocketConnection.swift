import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire
import NIOCore

/// One client's socket: performs what its ``Session`` says, and brings it what the database answers.
///
/// Used on its event loop only.
final class SocketConnection: SocketDelegate {
  let id: ConnectionID
  /// What the client names when it comes back. Whoever knows it can end this connection, so it is never logged.
  private let sessionID = SessionID.make()
  let services: ServerServices
  let hub: LoopHub
  let opening: SocketOpening
  var session = Session()
  /// What the client is signed in with, for as long as it lasts.
  var credential: VerifiedCredential?
  private var database: Database?
  var socket: Socket?
  private var isDirty = false
  var commands: [Command] = []
  /// Bytes of the messages that `commands` came from.
  private var commandBytes = 0
  /// Nothing is read from the client until more of its requests are answered.
  var isHeldBack = false
  /// What is to be done once a large value is ready to be sent; nil when nothing waits for one.
  var behind: [(SocketConnection) -> Void]?

  init(_ opening: SocketOpening, hub: LoopHub, services: ServerServices) {
    id = hub.nextConnectionID()
    self.opening = opening
    self.hub = hub
    self.services = services
  }

  // MARK: The socket's side

  func opened(_ socket: Socket) {
    self.socket = socket
    hub.add(self)
    guard services.registry.canOpen(opening.namespace) else { return refuseNamespace() }
    // The client sets its clock by the hello, so the hello does not wait for the database.
    send(
      .hello(
        .init(milliseconds: SystemClock.now.wallMilliseconds, host: opening.host, session: sessionID)))
    hub.flush()
    if let database = services.registry.opened(opening.namespace) {
      begin(database)
      return finish()
    }
    let opened = services.registry.database(opening.namespace, .byMode, on: hub.loop)
    opened.assumeIsolated().whenComplete { result in self.databaseOpened(result) }
  }

  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) {
    let decoded: ClientMessage
    do { decoded = try ClientMessage.decode(message) } catch { return violation(error.description) }
    var outputs: [Session.Output] = []
    commandBytes += message.count
    session.receive(decoded, sizeBytes: message.count, into: &outputs)
    perform(outputs)
  }

  func finishedReading(_ socket: Socket) { finish() }

  func closed(_ socket: Socket, _ end: SocketEnd) {
    session.close()
    setCredential(nil)
    hub.remove(self)
    services.sessions.remove(sessionID)
    (commands, behind) = ([], nil)
    database?.submit([Command(connection: id, action: .disconnect)])
    database = nil
    self.socket = nil
    services.logger.debug("socket closed", metadata: ["trace": "\(trace)", "end": "\(end)"])
  }

  /// Another connection of the same client takes over.
  func replace() { socket?.close(code: 1000, reason: "the client has connected again") }

  // MARK: The hub's side

  func flush() {
    isDirty = false
    socket?.flush()
  }

  func markDirty() {
    guard !isDirty else { return }
    isDirty = true
    hub.markDirty(self)
  }

  func setReading(_ isReading: Bool) {
    guard !isReading || !isHeldBack else { return }
    try? socket?.context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }

  // MARK: The database's side

  private func databaseOpened(_ result: Result<Database, any Error>) {
    guard let socket else { return }
    switch result {
    case .success(let database):
      begin(database)
      finish()
    case .failure(let problem):
      if problem as? DatabaseRegistry.Problem == .unknown { return refuseNamespace() }
      session.close()
      socket.close(code: 1013, reason: "the database is not available")
    }
  }

  /// Clients do not come back after this, which is right for an address that is wrong.
  private func refuseNamespace() {
    session.close()
    send(.shutdown("There is no such database. Check that the database URL is configured correctly."))
    flush()
    socket?.close()
  }

  /// A session that this client had before is over before anything of this one is handled.
  private func begin(_ database: Database) {
    self.database = database
    if let last = opening.lastSession { services.sessions.end(last, of: database, services.router) }
    services.sessions.insert(sessionID, id, database: database.name)
    commands.append(Command(connection: id, action: .connect))
    var outputs: [Session.Output] = []
    session.opened(into: &outputs)
    perform(outputs)
  }

  // MARK: Doing what the session says

  private func perform(_ outputs: [Session.Output]) {
    var outputs = outputs
    var index = 0
    while index < outputs.count {
      switch outputs[index] {
      case .submit(let action, let request):
        if case .unauthenticate = action { setCredential(nil) }
        commands.append(Command(connection: id, request: request, action: action))
      case .send(let message): send(message)
      case .verify(let credential): session.verified(verify(credential), into: &outputs)
      case .close(let reason): violation(reason)
      }
      index += 1
    }
  }

  private func violation(_ reason: String) {
    services.logger.info("socket refused", metadata: ["trace": "\(trace)", "reason": "\(reason)"])
    session.close()
    socket?.close(code: 1008)
  }

  /// How the log names this connection.
  private var trace: String { String(id.rawValue, radix: 16) }

  /// One hand-over to the database for all that came in together, one write for all that goes out.
  func finish() {
    if let database {
      if !database.submit(commands, sizeBytes: commandBytes) { hub.pause(self) }
      (commands, commandBytes) = ([], 0)
    }
    if session.unansweredBytes > Session.unansweredBytesMax {
      isHeldBack = true
      setReading(false)
    }
    hub.flush()
  }
}
