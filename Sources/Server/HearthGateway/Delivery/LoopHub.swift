import HearthAccounts
import HearthDatabase
import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// Everything of the server that lives on one event loop: its sockets, and the requests that wait for an answer.
///
/// Used on that loop only.
package final class LoopHub {
  /// Loops are numbered in the low bits of a ``ConnectionID``, so that an effect finds its loop without a table.
  package static let loopsMax = 256

  let loop: any EventLoop
  let index: Int
  private let denials: DenialLog
  private var clients: ClientTable
  /// The outlets of the clients that have one; made with the first of them.
  private var outlets: OutletTable?
  /// The forms in which clients are told of events, numbered from 1: one for each depth of a stream's path, at most.
  private var forms: [TellForm] = []
  /// What the sockets are signed in with.
  var credentials = CredentialIndex()
  /// Clients with messages in line that do not leave with the loop's pass, and those of the flush under way.
  private var dirty: [any HubClient] = []
  private var flushing: [any HubClient] = []
  private var isFlushing = false
  /// Sockets that are not read until a database has caught up.
  private var paused: [any HubClient] = []

  /// Bytes that clients have said over sockets that they go on over, and that wait for the end of their polls.
  var heldBytes = 0
  /// How many there may be of all clients together.
  static let heldBytesMax = 64 << 20
  /// A client that has said no more than this is left alone when others said too much.
  static let heldBytesFree = 64 << 10

  /// Cancellations that go out with the next flush, and are then followed for their receipts.
  var cancellations: [(client: any HubClient, mark: SentMark)] = []

  /// The place where one-off requests of this loop are answered.
  private let requests: ConnectionID
  private var waiting: [Int32: Waiting] = [:]

  private struct Waiting {
    /// What logs call the request.
    let id: String
    let completion: (Reply) -> Void
  }

  /// What is told of the refusal of such a request, before its answer.
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

  /// What it holds for somebody, by kind.
  var load: (clients: Int, signedIn: Int, requests: Int, paused: Int, cancellations: Int, heldBytes: Int) {
    (clients.count, credentials.count, waiting.count + explained.count, paused.count, cancellations.count, heldBytes)
  }

  // MARK: One-off requests

  /// Hands a request over; `completion` is called on this loop once it is answered.
  ///
  /// - Parameters:
  ///   - network: the client's, which work is charged to.
  ///   - id: what logs call the request.
  ///   - explanation: called before that when the request is refused and the principal asks for explanations.
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

  /// Names a request that does not pass through a database's mailbox, for the log.
  func nextTrace() -> String {
    readSerial += 1
    return "\(index)r\(readSerial)"
  }

  // MARK: Clients

  /// Takes a client in, and says what it is called from now on.
  func add(_ client: any HubClient) -> ConnectionID { clients.add(client) }
  func remove(_ client: any HubClient) { clients.remove(client.id) }
  func client(_ id: ConnectionID) -> (any HubClient)? { clients[id] }
  /// Tells the clients of a database that it is deleted, and lets them go.
  func endClients(of database: String) {
    for client in clients.all { client.databaseEnded(database) }
    flush()
  }

  /// Lets the clients of a database go, who are to come back.
  func sendAwayClients(of database: String) {
    for client in clients.all { client.sendAway(from: database) }
    flush()
  }

  /// Places that clients stand at, or stood.
  var placeCount: Int { clients.rows.count }
  /// Who stands at one of them.
  func client(at place: Int) -> (any HubClient)? { clients.client(at: place) }

  /// Returns true when the connection lives on this loop.
  func owns(_ id: ConnectionID) -> Bool { id.loopIndex == index }

  /// Ends what the revocation means, for this loop's clients, each of which then has its database sign it out.
  ///
  /// - Returns: how many databases' answers are to come.
  func revoke(_ revocation: Revocation, _ ticket: UInt64) -> Int {
    credentials.connections(of: revocation).count { id in
      clients[id]?.reviewCredential(after: revocation, ticket) ?? false
    }
  }

  /// Signs out this loop's clients that have a credential of a session of the console.
  func endConsoleSession(_ session: UInt64) {
    for id in credentials.connections(ofConsoleSession: session) { clients[id]?.endConsoleSession(session) }
  }

  /// From now on events that are not large are put in the client's line without asking it.
  func tellDirectly(_ id: ConnectionID, over outlet: Outlet, in form: TellForm) {
    guard let place = clients.place(of: id) else { return }
    outlets = outlet.table
    let number = forms.firstIndex(of: form) ?? forms.count
    if number == forms.count { forms.append(form) }
    clients.rows[place].outlet = outlet.id
    clients.rows[place].form = Int32(number + 1)
  }

  /// From now on the client itself is told of all events.
  func tellThroughClient(_ id: ConnectionID) {
    if let place = clients.place(of: id) { clients.rows[place].form = 0 }
  }

  /// The client has messages in line that the next ``flush()`` is to send.
  func markDirty(_ client: any HubClient) { dirty.append(client) }

  /// One write for each client that has messages.
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

  /// Reads nothing more from the client until a database has brought effects.
  func pause(_ client: any HubClient) {
    client.setReading(false)
    paused.append(client)
  }

  /// Reads on from the clients that were paused: a database has brought effects.
  func resumePaused() {
    guard !paused.isEmpty else { return }
    let clients = paused
    paused.removeAll()
    for client in clients { client.setReading(true) }
  }

  // MARK: Effects

  @inline(__always)
  private func tell(_ event: Event, _ recipients: some Collection<(id: ConnectionID, tag: Int32?)>) {
    let shared = SharedEvent(event, isForOne: recipients.count == 1)
    guard let outlets, !shared.isLarge else {
      for recipient in recipients { clients[recipient.id]?.tell(shared, tag: recipient.tag) }
      return
    }
    var telling = Telling(shared, over: outlets, forms: forms)
    for recipient in recipients {
      guard let place = clients.place(of: recipient.id) else { continue }
      let row = clients.rows[place]
      if row.form == 0 {
        clients.client(at: place)?.tell(shared, tag: recipient.tag)
      } else {
        telling.stage(row, tag: recipient.tag)
      }
    }
  }

  /// Performs what a database wants done, in order. ``flush()`` sends it, and ``followCancellations()`` follows it.
  func perform(_ effects: [LoopEffect], of database: String) {
    for effect in effects {
      switch effect {
      case .effect(let effect): perform(effect, of: database)
      case .cancel(let redecision, let receipt): cancel(redecision, receipt, of: database)
      }
    }
  }

  private func perform(_ effect: Effect, of database: String) {
    switch effect {
    case .event(let event, let recipients): tell(event, recipients.lazy.map { ($0, nil) })
    case .queryEvent(let event, let recipients): tell(event, recipients.lazy.map { ($0.connection, $0.tag) })
    case .reply(let id, let request, let reply):
      if id == requests {
        explained[request] = nil
        waiting.removeValue(forKey: request)?.completion(reply)
      } else {
        clients[id]?.answer(request, reply)
      }
    case .redecided(let redecision): cancel(redecision, nil, of: database)
    case .authenticationEnded(let id): clients[id]?.endAuthentication()
    case .denied(let denial): explain(denial, of: database)
    }
  }

  /// Logs a refusal, and tells of it whoever asked for explanations.
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
  /// The loop that it lives on.
  var loopIndex: Int { Int(rawValue & 0xFF) }
  /// False for the one by which each loop asks for requests without a connection of their own.
  var isClients: Bool { rawValue > 0xFF }
}
