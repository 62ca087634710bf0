import HearthAccounts
import HearthDatabase
import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// The state of the gateway on one event loop: its clients, and the requests that wait for a response.
///
/// Used on that loop only.
package final class LoopHub {
  /// The maximum number of loops. A loop's index is in the low bits of a ``ConnectionID``, so that an effect finds its
  /// loop without a table.
  package static let loopsMax = 256

  let loop: any EventLoop
  let index: Int
  private let denials: DenialLog
  private var clients: ClientTable
  /// The outlets of the clients that have one; nil before the first of them.
  private var outlets: OutletTable?
  /// The forms in which events are written for clients, numbered from 1: one for each depth of a stream's path, at
  /// most.
  private var forms: [DeliveryForm] = []
  /// The index of the sockets' credentials.
  var credentials = CredentialIndex()
  /// The clients whose queued messages the next ``flush()`` sends.
  private var dirty: [any HubClient] = []
  private var flushing: [any HubClient] = []
  private var isFlushing = false
  /// The sockets whose reading is paused until a database has caught up.
  private var paused: [any HubClient] = []

  /// The bytes of messages on upgraded sockets that wait for the end of their polls.
  var heldBytes = 0
  /// The maximum number of such bytes, for all clients together.
  static let heldBytesMax = 64 << 20
  /// The number of bytes up to which a client is spared when all have sent too many.
  static let heldBytesFree = 64 << 10

  /// The cancellations that are sent with the next flush, and then tracked for their receipts.
  var cancellations: [(client: any HubClient, mark: SentMark)] = []

  /// The connection id of this loop's one-off requests.
  private let requests: ConnectionID
  private var waiting: [Int32: Waiting] = [:]

  private struct Waiting {
    /// The request's id in logs.
    let id: String
    let completion: (Reply) -> Void
  }

  /// The handlers of denials of such requests, called before the response.
  private var explained: [Int32: (Denial) -> Void] = [:]
  private var lastRequest: Int32 = 0
  private var readSerial: UInt64 = 0

  init(loop: any EventLoop, index: Int, denials: DenialLog) {
    self.loop = loop
    self.index = index
    self.denials = denials
    requests = ConnectionID(rawValue: UInt64(index))
    clients = ClientTable(loop: index)
  }

  /// The numbers of resources that it holds, by kind.
  var load: (clients: Int, signedIn: Int, requests: Int, paused: Int, cancellations: Int, heldBytes: Int) {
    (clients.count, credentials.count, waiting.count + explained.count, paused.count, cancellations.count, heldBytes)
  }

  // MARK: One-off requests

  /// Submits a request; `completion` is called on this loop with the response.
  ///
  /// - Parameters:
  ///   - network: the client's network, to which work is charged.
  ///   - id: the request's id in logs.
  ///   - explanation: called before the completion when the request is denied and the principal asks for explanations.
  package func request(
    _ action: Command.Action, as principal: Principal, from address: AddressClass? = nil,
    in network: NetworkPrefix? = nil, of database: Database, id: String = "",
    explanation: ((Denial) -> Void)? = nil, completion: @escaping (Reply) -> Void
  ) {
    repeat { lastRequest = lastRequest == .max ? 1 : lastRequest + 1 } while waiting[lastRequest] != nil
    waiting[lastRequest] = Waiting(id: id, completion: completion)
    if let explanation, principal.isDebugging { explained[lastRequest] = explanation }
    database.submit([
      Command(
        connection: requests, request: lastRequest, principal: principal, address: address, network: network,
        action: action)
    ])
  }

  /// Returns a trace id for a request that does not pass through a database's mailbox.
  func nextTrace() -> String {
    readSerial += 1
    return "\(index)r\(readSerial)"
  }

  // MARK: Clients

  /// Adds a client, and returns its id.
  func add(_ client: any HubClient) -> ConnectionID { clients.add(client) }
  func remove(_ client: any HubClient) { clients.remove(client.id) }
  func client(_ id: ConnectionID) -> (any HubClient)? { clients[id] }
  /// Notifies the clients of a database that it is deleted, and disconnects them.
  func endClients(of database: String) {
    for client in clients.all { client.databaseEnded(database) }
    flush()
  }

  /// Disconnects the clients of a database, so that they reconnect.
  func disconnectClientsForRetry(of database: String) {
    for client in clients.all { client.disconnectForRetry(from: database) }
    flush()
  }

  /// The number of client rows, in use or free.
  var rowCount: Int { clients.rows.count }
  /// Returns the client in a row; nil for a free one.
  func client(at place: Int) -> (any HubClient)? { clients.client(at: place) }

  /// Returns true when the connection belongs to this loop.
  func owns(_ id: ConnectionID) -> Bool { id.loopIndex == index }

  /// Revokes credentials of this loop's clients, each of which then has its database sign it out.
  ///
  /// - Returns: the number of outstanding responses of databases.
  func revoke(_ revocation: Revocation, _ revocationNumber: UInt64) -> Int {
    credentials.connections(of: revocation).count { id in
      clients[id]?.reviewCredential(after: revocation, revocationNumber) ?? false
    }
  }

  /// Signs out this loop's clients that have a credential of a session of the console.
  func endConsoleSession(_ session: UInt64) {
    for id in credentials.connections(ofConsoleSession: session) { clients[id]?.endConsoleSession(session) }
  }

  /// Queues events that are not large directly in the client's outlet from now on.
  func deliverDirectly(_ id: ConnectionID, over outlet: Outlet, in form: DeliveryForm) {
    guard let place = clients.place(of: id) else { return }
    outlets = outlet.table
    let number = forms.firstIndex(of: form) ?? forms.count
    if number == forms.count { forms.append(form) }
    clients.rows[place].outlet = outlet.id
    clients.rows[place].form = Int32(number + 1)
  }

  /// Delivers all events through the client itself from now on.
  func deliverThroughClient(_ id: ConnectionID) {
    if let place = clients.place(of: id) { clients.rows[place].form = 0 }
  }

  /// Marks a client whose queued messages the next ``flush()`` is to send.
  func markDirty(_ client: any HubClient) { dirty.append(client) }

  /// Sends the queued messages, with one write for each client.
  func flush() {
    outlets?.flush()
    guard !isFlushing else { return }
    isFlushing = true
    while !dirty.isEmpty {
      swap(&dirty, &flushing)
      for client in flushing { client.flush() }
      flushing.removeAll(keepingCapacity: true)
    }
    isFlushing = false
  }

  /// Pauses reading from the client until a database has sent effects.
  func pause(_ client: any HubClient) {
    client.setReading(false)
    paused.append(client)
  }

  /// Resumes reading from the paused clients: a database has sent effects.
  func resumePaused() {
    guard !paused.isEmpty else { return }
    let clients = paused
    paused.removeAll()
    for client in clients { client.setReading(true) }
  }

  // MARK: Effects

  @inline(__always)
  private func deliver(_ event: Event, _ recipients: some Collection<(id: ConnectionID, tag: Int32?)>) {
    let shared = SharedEvent(event, isForOne: recipients.count == 1)
    guard let outlets, !shared.isLarge else {
      for recipient in recipients { clients[recipient.id]?.deliver(shared, tag: recipient.tag) }
      return
    }
    var delivery = EventDelivery(shared, over: outlets, forms: forms)
    for recipient in recipients {
      guard let place = clients.place(of: recipient.id) else { continue }
      let row = clients.rows[place]
      if row.form == 0 {
        clients.client(at: place)?.deliver(shared, tag: recipient.tag)
      } else {
        delivery.stage(row, tag: recipient.tag)
      }
    }
  }

  /// Performs a database's effects, in order. ``flush()`` sends them, and ``trackCancellations()`` tracks them.
  func perform(_ effects: [LoopEffect], of database: String) {
    for effect in effects {
      switch effect {
      case .effect(let effect): perform(effect, of: database)
      case .cancel(let redecision, let receipt): cancel(redecision, receipt, of: database)
      case .bulkReply(let id, let request, let reply): answer(id, request, reply)
      }
    }
  }

  private func perform(_ effect: Effect, of database: String) {
    switch effect {
    case .event(let event, let recipients): deliver(event, recipients.lazy.map { ($0, nil) })
    case .queryEvent(let event, let recipients): deliver(event, recipients.lazy.map { ($0.connection, $0.tag) })
    case .reply(let id, let request, let reply): answer(id, request, reply)
    case .redecided(let redecision): cancel(redecision, nil, of: database)
    case .authenticationEnded(let id): clients[id]?.endAuthentication()
    case .denied(let denial): explain(denial, of: database)
    }
  }

  private func answer(_ id: ConnectionID, _ request: Int32, _ reply: Reply) {
    guard id == requests else {
      clients[id]?.answer(request, reply)
      return
    }
    explained[request] = nil
    waiting.removeValue(forKey: request)?.completion(reply)
  }

  /// Logs a denial, and delivers its explanation to a client that asked for one.
  func explain(_ denial: Denial, of database: String) {
    let id =
      denial.connection == requests
      ? denial.request.flatMap { waiting[$0]?.id } : clients[denial.connection]?.requestID
    denials.log(denial, database: database, requestID: id)
    if denial.connection == requests, let request = denial.request { explained[request]?(denial) }
    if denial.principal.isDebugging { clients[denial.connection]?.explain(denial) }
  }
}

extension ConnectionID {
  /// The index of its loop.
  var loopIndex: Int { Int(rawValue & 0xFF) }
  /// The row of its client in the loop's ``ClientTable``.
  var row: Int { Int(truncatingIfNeeded: rawValue >> 8 & 0xFF_FFFF) }
  /// False for the id of a loop's one-off requests, which have no connection of their own.
  var isClients: Bool { rawValue > 0xFF }
}
