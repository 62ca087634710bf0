import HearthAccounts
import HearthEngine
import HearthWire
import NIOCore

/// Everything of the server that lives on one event loop: its sockets, and the requests that wait for an answer.
///
/// Used on that loop only.
final class LoopHub {
  /// Loops are numbered in the low bits of a ``ConnectionID``, so that an effect finds its loop without a table.
  static let loopsMax = 256

  let loop: any EventLoop
  let index: Int
  private let denials: DenialLog
  private var sockets: [ConnectionID: SocketConnection] = [:]
  /// What the sockets are signed in with.
  var credentials = CredentialIndex()
  /// Sockets with messages in line.
  private var dirty: [SocketConnection] = []
  /// Sockets that are not read until a database has caught up.
  private var paused: [SocketConnection] = []
  private var serial: UInt64 = 0

  /// Where one-off requests of this loop are answered.
  private let requests: ConnectionID
  private var waiting: [Int32: (Reply) -> Void] = [:]
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

  // MARK: One-off requests

  /// Hands a request over; `completion` is called on this loop once it is answered.
  func request(
    _ action: Command.Action, as identity: Identity, of database: Database, completion: @escaping (Reply) -> Void
  ) {
    repeat { lastRequest = lastRequest == .max ? 1 : lastRequest + 1 } while waiting[lastRequest] != nil
    waiting[lastRequest] = completion
    database.submit([Command(connection: requests, request: lastRequest, identity: identity, action: action)])
  }

  /// Names a request that does not pass through a database's mailbox, for the log.
  func nextTrace() -> String {
    readSerial += 1
    return "\(index)r\(readSerial)"
  }

  // MARK: Sockets

  func add(_ socket: SocketConnection) { sockets[socket.id] = socket }
  func remove(_ socket: SocketConnection) { sockets[socket.id] = nil }
  func socket(_ id: ConnectionID) -> SocketConnection? { sockets[id] }

  /// Ends what the revocation means, on this loop's sockets.
  func revoke(_ revocation: Revocation) {
    for id in credentials.connections(of: revocation) { sockets[id]?.reviewCredential(after: revocation) }
  }

  /// The socket has messages in line that the next ``flush()`` is to send.
  func markDirty(_ socket: SocketConnection) { dirty.append(socket) }

  /// One write for each socket that has messages.
  func flush() {
    guard !dirty.isEmpty else { return }
    let sockets = dirty
    dirty.removeAll(keepingCapacity: true)
    for socket in sockets { socket.flush() }
  }

  /// Reads nothing more from the socket until a database has brought effects.
  func pause(_ socket: SocketConnection) {
    socket.setReading(false)
    paused.append(socket)
  }

  /// Reads on from the sockets that were paused: a database has brought effects.
  func resumePaused() {
    guard !paused.isEmpty else { return }
    let sockets = paused
    paused.removeAll()
    for socket in sockets { socket.setReading(true) }
  }

  // MARK: Effects

  /// Performs what a database wants done, in order. ``flush()`` sends it.
  func perform(_ effects: [Effect], of database: String) {
    for effect in effects {
      switch effect {
      case .event(let event, let recipients) where recipients.count == 1: sockets[recipients[0]]?.tell(event)
      case .event(let event, let recipients):
        // Encoded once; server frames are not masked, so the same bytes go to every socket.
        let message = OutboundMessage(event.message)
        for id in recipients { sockets[id]?.send(message) }
      case .reply(let id, let request, let reply):
        if id == requests {
          waiting.removeValue(forKey: request)?(reply)
        } else {
          sockets[id]?.answer(request, reply)
        }
      case .cancel(let id, let path, _): sockets[id]?.send(.push(.cancel(path: path)))
      case .authenticationEnded(let id):
        sockets[id]?.send(.push(.authenticationEnded(.expiredToken, text: "Auth token is expired.")))
      case .denied(let denial):
        denials.log(denial, database: database)
        guard denial.identity.isDebugging else { continue }
        sockets[denial.connection]?.send(.push(.debug(DenialLog.explanation(of: denial))))
      }
    }
  }
}

extension Event {
  /// The push that tells of this change.
  var message: ServerMessage {
    switch change {
    case .put(let node): .push(.put(path: path, node: node))
    case .merge(let entries): .push(.merge(path: path, changes: entries.map { (path: $0.path, node: $0.node) }))
    }
  }
}
