import Foundation
import HearthDatabase
import HearthEngine
import HearthRules
import HearthTestKit
import HearthTree
import HearthWire
import Synchronization

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// The protocol without sockets: client sessions over an engine or a database.
class SessionEnvironment: ConversationEnvironment {
  /// The state of one client.
  private final class Client {
    let id: ConnectionID
    var session = ClientSession()
    var told: [Conversation.ReceivedEvent] = []
    init(id: ConnectionID) { self.id = id }
  }

  private var clients: [String: Client] = [:]
  private var names: [ConnectionID: String] = [:]
  private var identities: [JSON] = []
  private var lastID: UInt64 = 0

  /// Sets up the rules and data of a conversation.
  func prepare(_ conversation: Conversation) throws {
    let rules = try RuleSet.compile(conversation.rules)
    submit([Command(connection: Self.server, request: 1, principal: .administrator, action: .deployRules(rules))])
    guard let data = conversation.data else { return }
    let value = try Array(data.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return try reader.writeValue(for: Location(path: .root))
    }
    let write = WriteOperation(.put(Location(path: .root), value))
    submit([Command(connection: Self.server, request: 2, principal: .administrator, action: .write(write))])
  }

  static let server = ConnectionID(rawValue: 0)

  /// Decides the commands; their effects go to ``perform(_:)``, now or later.
  func submit(_ commands: [Command]) {}

  /// Waits until the effects of all submitted commands are performed.
  func settle() throws {}

  func pass(milliseconds: Int64) throws { throw UnsupportedStep() }

  private func client(_ name: String) throws -> Client {
    guard let client = clients[name] else { throw ConversationPlayer.Failure(description: "\(name) has no session") }
    return client
  }

  // MARK: Steps

  func connect(_ name: String, after last: String?, agent: String?) throws {
    // A reconnecting client first ends its old session.
    if let last, let old = clients[last] {
      submit([Command(connection: old.id, action: .disconnect)])
      names[old.id] = nil
      old.told.append(.closed)
    }
    lastID += 1
    let client = Client(id: ConnectionID(rawValue: lastID))
    (clients[name], names[client.id]) = (client, name)
    submit([Command(connection: client.id, action: .connect)])
    var outputs: [ClientSession.Output] = []
    client.session.opened(into: &outputs)
    follow(outputs, of: client)
  }

  func leave(_ name: String) throws {
    let client = try client(name)
    submit([Command(connection: client.id, action: .disconnect)])
    names[client.id] = nil
    clients[name] = nil
  }

  func credential(of principal: Conversation.Identity) throws -> String {
    switch principal {
    case .signedOut: return ""
    case .administrator: return "owner"
    case .user(let claims):
      identities.append(claims)
      return "user-\(identities.count - 1)"
    }
  }

  func send(_ name: String, _ message: String) throws {
    // The transport handles keepalives.
    guard message != "0" else { return }
    let client = try client(name)
    var outputs: [ClientSession.Output] = []
    client.session.receive(
      try ClientMessage.decode(Array(message.utf8)), sizeBytes: message.utf8.count, into: &outputs)
    follow(outputs, of: client)
  }

  func next(_ name: String) throws -> Conversation.ReceivedEvent? {
    let client = try client(name)
    if client.told.isEmpty { try settle() }
    return client.told.isEmpty ? nil : client.told.removeFirst()
  }

  func rest(_ name: String) throws -> [Conversation.ReceivedEvent] {
    try settle()
    let client = try client(name)
    defer { client.told = [] }
    return client.told
  }

  func stream(_ name: String, _ target: String, as principal: Conversation.Identity) throws { throw UnsupportedStep() }
  func request(_ exchange: Conversation.HTTPExchange) throws -> LiveResponse { throw UnsupportedStep() }

  // MARK: Sessions

  private func follow(_ outputs: [ClientSession.Output], of client: Client) {
    var outputs = outputs
    var index = 0
    while index < outputs.count {
      switch outputs[index] {
      case .submit(let action, let request):
        submit([Command(connection: client.id, request: request, action: action)])
      case .send(let message): tell(client, message)
      case .verify(let credential): client.session.verified(verify(credential), into: &outputs)
      case .switchTransports: break
      case .close: client.told.append(.closed)
      }
      index += 1
    }
  }

  private func verify(_ credential: Request.Credential) -> Result<VerifiedCaller, CallerError> {
    var principal: Principal
    if credential.token == "owner" {
      principal = .administrator
      switch credential.override {
      case .auth(let auth)?: principal = Principal(auth: auth)
      case .signedOut?: principal = .signedOut
      case nil: break
      }
    } else if let number = Int(credential.token.dropFirst(5)), identities.indices.contains(number) {
      let claims = identities[number]
      let uid = claims["uid"] ?? claims["sub"] ?? .null
      principal = Principal(auth: .object([.init("uid", uid), .init("token", claims)]))
    } else {
      return .failure(.refused(.invalidToken, text: "Could not parse auth token."))
    }
    return .success(VerifiedCaller(principal: principal, claims: .object([]), isSimulating: false, credential: nil))
  }

  private func tell(_ client: Client, _ message: ServerMessage) {
    client.told.append(Conversation.ReceivedEvent(message: String(decoding: message.encoded(), as: UTF8.self)))
  }

  private func client(_ id: ConnectionID) -> Client? { names[id].flatMap { clients[$0] } }

  func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .event(let event, let recipients):
        for id in recipients { if let client = client(id) { tell(client, event.push(tag: nil)) } }
      case .queryEvent(let event, let recipients):
        for recipient in recipients {
          if let client = client(recipient.connection) { tell(client, event.push(tag: recipient.tag)) }
        }
      case .reply(let id, let request, let reply):
        guard let client = client(id), let message = client.session.message(for: reply, to: request) else { continue }
        tell(client, message)
      case .redecided(let redecision):
        for cancelled in redecision.cancelled {
          guard let client = client(cancelled.connection),
            let message = client.session.cancellation(of: cancelled.name)
          else { continue }
          tell(client, message)
        }
      case .authenticationEnded(let id):
        if let client = client(id) {
          tell(client, .push(.authenticationEnded(.expiredToken, text: "Auth token is expired.")))
        }
      case .denied: break
      }
    }
  }
}

/// Sessions over an engine alone, without delays; the clock advances only on command.
final class EngineConversationEnvironment: SessionEnvironment {
  private var engine = Engine(state: DatabaseState(root: .empty, rules: .denyAll, position: 0))
  private var now = Instant(wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: 0)

  override func submit(_ commands: [Command]) {
    var rest = commands[...]
    while !rest.isEmpty {
      let batch = engine.decide(rest, at: now)
      rest = rest.dropFirst(batch.commandCount)
      perform(batch.effects)
    }
  }

  override func pass(milliseconds: Int64) throws {
    now.wallMilliseconds += milliseconds
    now.monotonicMilliseconds += milliseconds
    submit([Command(connection: Self.server, action: .tick)])
  }
}

/// Sessions over a database in this process, with its queues and a journal in memory.
final class DatabaseConversationEnvironment: SessionEnvironment {
  private let arrived: Arrivals
  private let database: Database
  private var barrier: Int32 = 1_000

  /// Effects in the order in which the database's queue releases them.
  private final class Arrivals: Sendable {
    private let effects = Mutex<[Effect]>([])
    private let signal = DispatchSemaphore(value: 0)

    func append(_ new: [Effect]) {
      effects.withLock { $0 += new }
      signal.signal()
    }

    func take() -> [Effect] {
      effects.withLock { effects in
        defer { effects = [] }
        return effects
      }
    }

    func wait() -> Bool { signal.wait(timeout: .now() + .seconds(Polling.timeoutSeconds)) == .success }
  }

  override init() {
    let arrived = Arrivals()
    self.arrived = arrived
    let environment = DatabaseEnvironment(
      clock: { Instant(wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: 0) }, schedule: { _, _ in },
      deliver: { effects, _ in arrived.append(effects) })
    do {
      database = try Database(
        name: "test", journals: SingleJournalFactory(MemoryJournal()), initialRules: .denyAll, environment: environment)
    } catch {
      fatalError("an empty journal in memory opens: \(error)")
    }
    super.init()
  }

  func close() { database.close() }

  override func submit(_ commands: [Command]) { database.submit(commands) }

  override func settle() throws {
    barrier += 1
    let mark = barrier
    database.submit([Command(connection: Self.server, request: mark, principal: .administrator, action: .get(.root))])
    while true {
      let effects = arrived.take()
      perform(effects)
      let isThere = effects.contains { effect in
        if case .reply(Self.server, mark, _) = effect { true } else { false }
      }
      if isThere { return }
      guard arrived.wait() else { throw ConversationPlayer.Failure(description: "the database does not answer") }
    }
  }
}
