import Dispatch
import HearthTestKit
import HearthTree
import HearthWire
import Synchronization

@testable import HearthClient

/// A minimal owner of a real connection: it keeps unanswered requests and repeats them when a new connection is ready,
/// as the core does.
// Unchecked because all state is used on the queue only.
final class LiveOwner: @unchecked Sendable {
  let queue = DispatchQueue(label: "hearth.test.owner")
  private var connection: DatabaseConnection?
  private var lastID = 0
  private var isReady = false
  /// The requests by ID that are repeated on each connection until they are answered.
  private var waiting: [Int: Request.Action] = [:]
  private var listens: [Int: Request.Action] = [:]
  private var answers: [Int: CheckedContinuation<Answer?, Never>] = [:]
  /// All events in order.
  private var events: [ConnectionEvent] = []
  private var pushes: [(Location, Node)] = []
  private var losses = 0
  private var logs: [String] = []

  struct Answer: Sendable {
    var status: Status
    var data: ReceivedMessage.ReplyData
    var node: Node { if case .node(let node) = data { node } else { .empty } }
  }

  init(
    _ url: String, credential: String? = nil, trust: TLSTrust = .system, limits: WebSocketLimits = WebSocketLimits(),
    configure: (inout ConnectionSettings) -> Void = { _ in }
  ) throws {
    var settings = ConnectionSettings()
    // A test's connection attempts may follow each other quickly.
    settings.backOff = .init(first: 5, max: 50, factor: 1.3, jitter: 0.7, spread: 5)
    configure(&settings)
    var environment = DatabaseConnection.Environment { [weak self] events in self?.take(events) }
    environment.tokens = { _, answer in answer(.success(ConnectionTokens(credential: credential))) }
    environment.trust = trust
    environment.limits = limits
    environment.log = { [weak self] _, text in self?.logs.append(text) }
    let address = try DatabaseAddress.parse(url).address
    queue.sync { [self, environment, settings] in
      connection = DatabaseConnection(address, settings: settings, queue: queue, environment: environment)
      connection?.handle(.open)
    }
  }

  /// Closes the connection.
  func close() { queue.sync { connection?.close() } }

  /// The lines of the log.
  var log: [String] { queue.sync { logs } }
  /// The number of lost connections.
  var lossCount: Int { queue.sync { losses } }
  /// The received pushes.
  var pushed: [(Location, Node)] { queue.sync { pushes } }
  /// All events so far.
  var told: [ConnectionEvent] { queue.sync { events } }

  func handle(_ input: ConnectionInput) { queue.async { self.connection?.handle(input) } }

  /// Waits until a connection is ready.
  func ready() async throws { try await Polling.until { self.queue.sync { self.isReady } } }

  /// Repeats a request until it is answered. A conditional write is sent once; nil when the connection was lost before
  /// its answer.
  func ask(_ action: Request.Action) async -> Answer? {
    await withCheckedContinuation { continuation in
      queue.async {
        self.lastID += 1
        let id = self.lastID
        self.answers[id] = continuation
        self.waiting[id] = action
        if self.isReady { self.connection?.handle(.request(id: id, action)) }
      }
    }
  }

  /// Starts a listen that is repeated on each connection.
  func listen(_ path: String) {
    queue.async {
      self.lastID += 1
      let action = Request.Action.listen(Request.Listen(path: Path(path), hash: ""))
      self.listens[self.lastID] = action
      if self.isReady { self.connection?.handle(.request(id: self.lastID, action)) }
    }
  }

  /// Returns true when at least this many requests were made.
  func hasAsked(_ count: Int) -> Bool { queue.sync { lastID >= count } }

  func put(_ path: String, _ node: Node, hash: String? = nil) async -> Answer? {
    let write = Write(location: Location(path: Path(path)), value: WriteValue(node))
    return await ask(.put(Request.Put(write: write, hash: hash)))
  }

  func get(_ path: String) async -> Answer? {
    await ask(.get(Request.Get(location: Location(path: Path(path)))))
  }

  private func take(_ more: [ConnectionEvent]) {
    for event in more {
      events.append(event)
      switch event {
      case .ready:
        isReady = true
        for (id, listen) in listens.sorted(by: { $0.key < $1.key }) { connection?.handle(.request(id: id, listen)) }
        for (id, action) in waiting.sorted(by: { $0.key < $1.key }) { connection?.handle(.request(id: id, action)) }
      case .lost:
        isReady = false
        losses += 1
        for (id, action) in waiting.sorted(by: { $0.key < $1.key }) {
          guard case .put(let put) = action, put.hash != nil else { continue }
          waiting[id] = nil
          answers.removeValue(forKey: id)?.resume(returning: nil)
        }
      case .reply(let id, let status, let data):
        waiting[id] = nil
        answers.removeValue(forKey: id)?.resume(returning: Answer(status: status, data: data))
      case .put(let location, let node, _): pushes.append((location, node))
      case .merge(let path, let changes, _):
        for change in changes { pushes.append((change.location.under(path), change.node)) }
      default: break
      }
    }
  }
}
