import HearthAccounts
import HearthDatabase
import HearthEngine
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
  private var clients: [ConnectionID: any HubClient] = [:]
  /// What the sockets are signed in with.
  var credentials = CredentialIndex()
  /// Sockets with messages in line.
  private var dirty: [any HubClient] = []
  /// Sockets that are not read until a database has caught up.
  private var paused: [any HubClient] = []
  private var serial: UInt64 = 0

  /// Bytes that clients have said over sockets that they go on over, and that wait for the end of their polls.
  var heldBytes = 0
  /// How many there may be of all clients together.
  static let heldBytesMax = 64 << 20
  /// A client that has said no more than this is left alone when others said too much.
  static let heldBytesFree = 64 << 10

  /// The queries of listens that were cancelled and whose receipts are not followed yet.
  var cutQueries: [Cut: JSON] = [:]

  /// Where one-off requests of this loop are answered.
  private let requests: ConnectionID
  private var waiting: [Int32: (Reply) -> Void] = [:]
  /// What is told of the refusal of such a request, before its answer.
  private var explained: [Int32: (Denial) -> Void] = [:]
  private var lastRequest: Int32 = 0
  private var readSerial: UInt64 = 0

  init(loop: any EventLoop, index: Int, denials: DenialLog) {
    self.loop = loop
    self.index = index
    self.denials = denials
    requests = ConnectionID(rawValue: UInt64(index))
  }

  func nextConnectionID() -> ConnectionID {
    serial += 1
    return ConnectionID(rawValue: serial << 8 | UInt64(index))
  }

  /// What it holds for somebody, by kind.
  var load: (clients: Int, signedIn: Int, requests: Int, paused: Int, cutQueries: Int, heldBytes: Int) {
    (clients.count, credentials.count, waiting.count + explained.count, paused.count, cutQueries.count, heldBytes)
  }

  // MARK: One-off requests

  /// Hands a request over; `completion` is called on this loop once it is answered.
  ///
  /// - Parameter explanation: called before that when the request is refused and the identity asks for explanations.
  package func request(
    _ action: Command.Action, as identity: Identity, of database: Database,
    explanation: ((Denial) -> Void)? = nil, completion: @escaping (Reply) -> Void
  ) {
    repeat { lastRequest = lastRequest == .max ? 1 : lastRequest + 1 } while waiting[lastRequest] != nil
    waiting[lastRequest] = completion
    if let explanation, identity.isDebugging { explained[lastRequest] = explanation }
    database.submit([Command(connection: requests, request: lastRequest, identity: identity, action: action)])
  }

  /// Names a request that does not pass through a database's mailbox, for the log.
  func nextTrace() -> String {
    readSerial += 1
    return "\(index)r\(readSerial)"
  }

  // MARK: Clients

  func add(_ client: any HubClient) { clients[client.id] = client }
  func remove(_ client: any HubClient) { clients[client.id] = nil }
  func client(_ id: ConnectionID) -> (any HubClient)? { clients[id] }

  /// Ends what the revocation means, for this loop's clients, each of which then has its database sign it out.
  ///
  /// - Returns: how many databases' answers are to come.
  func revoke(_ revocation: Revocation, _ ticket: UInt64) -> Int {
    credentials.connections(of: revocation).count { id in
      clients[id]?.reviewCredential(after: revocation, ticket) ?? false
    }
  }

  /// The client has messages in line that the next ``flush()`` is to send.
  func markDirty(_ client: any HubClient) { dirty.append(client) }

  /// One write for each client that has messages.
  func flush() {
    guard !dirty.isEmpty else { return }
    let clients = dirty
    dirty.removeAll(keepingCapacity: true)
    for client in clients { client.flush() }
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

  /// Performs what a database wants done, in order. ``flush()`` sends it.
  func perform(_ effects: [Effect], of database: String) {
    for effect in effects {
      switch effect {
      case .event(let event, let recipients):
        let shared = SharedEvent(event, isForOne: recipients.count == 1)
        for id in recipients { clients[id]?.tell(shared, tag: nil) }
      case .queryEvent(let event, let recipients):
        let shared = SharedEvent(event, isForOne: recipients.count == 1)
        for recipient in recipients { clients[recipient.connection]?.tell(shared, tag: recipient.tag) }
      case .reply(let id, let request, let reply):
        if id == requests {
          explained[request] = nil
          waiting.removeValue(forKey: request)?(reply)
        } else {
          clients[id]?.answer(request, reply)
        }
      case .cancel(let id, let name, let cause):
        guard let client = clients[id] else { continue }
        if let query = client.query(of: name) { note(query: query, of: Cut(connection: id, name: name)) }
        client.cancel(name, cause)
      case .authenticationEnded(let id): clients[id]?.endAuthentication()
      case .redecided: break
      case .denied(let denial):
        denials.log(denial, database: database)
        if denial.connection == requests, let request = denial.request { explained[request]?(denial) }
        if denial.identity.isDebugging { clients[denial.connection]?.explain(denial) }
      }
    }
  }
}
