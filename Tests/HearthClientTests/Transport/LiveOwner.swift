import Dispatch
import HearthTestKit
import HearthTree
import HearthWire
import Synchronization

@testable import HearthClient

/// The owner of a real connection, as small as one can be: it keeps what has no answer and asks again when a new connection
/// is ready, as the core does.
// Unchecked because everything is used on the queue only.
final class LiveOwner: @unchecked Sendable {
  let queue = DispatchQueue(label: "hearth.test.owner")
  private var connection: DatabaseConnection?
  private var lastID = 0
  private var isReady = false
  /// What goes out again on each connection until it is answered; by id.
  private var waiting: [Int: Request.Action] = [:]
  private var listens: [Int: Request.Action] = [:]
  private var answers: [Int: CheckedContinuation<Answer?, Never>] = [:]
  /// Every event, in order.
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
    // Attempts of a test need not be spared.
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

  /// Ends it.
  func close() { queue.sync { connection?.close() } }

  /// What the log says.
  var log: [String] { queue.sync { logs } }
  /// How often a connection was lost.
  var lossCount: Int { queue.sync { losses } }
  /// What was pushed.
  var pushed: [(Location, Node)] { queue.sync { pushes } }
  /// Everything that was told.
  var told: [ConnectionEvent] { queue.sync { events } }

  func handle(_ input: ConnectionInput) { queue.async { self.connection?.handle(input) } }

  /// Waits until a connection is ready.
  func ready() async throws { try await Patience.until { self.queue.sync { self.isReady } } }

  /// Asks until it is answered. A condition is asked once: nil when the connection was lost over it.
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

  /// Begins a listen that each connection is asked for.
  func listen(_ path: String) {
    queue.async {
      self.lastID += 1
      let action = Request.Action.listen(Request.Listen(path: Path(path), hash: ""))
      self.listens[self.lastID] = action
      if self.isReady { self.connection?.handle(.request(id: self.lastID, action)) }
    }
  }

  /// Returns true when so many requests were asked for.
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
