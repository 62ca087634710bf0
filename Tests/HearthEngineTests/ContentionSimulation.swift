import HearthRules
import HearthTestKit
import HearthTree

@testable import HearthEngine

/// A simulation of many clients that increment one location by transactions, as SDKs do, with a disk and an exact
/// clock.
///
/// A client that receives a stale answer retries with the new value after its own delay. The simulation checks that
/// each attempt is answered once, and that events arrive before the answer that depends on them.
struct ContentionSimulation {
  struct Client {
    /// The time from the departure of an answer to the arrival of the client's next attempt.
    var roundTripMilliseconds: Int64
    /// True when the client gives up at the first stale answer.
    var isSilent = false
    /// The interval of plain writes beside the client's transactions; nil for none.
    var plainWriteIntervalMilliseconds: Int64?

    var seen: Int64 = 0
    var request: Int32 = 0
    var isWaiting = false
    var tries = 0
    var triesMax = 0
    var commits = 0
    var began: Int64 = 0
    var waitMax: Int64 = 0
  }

  struct Failure: Error { var text: String }

  private enum Work {
    case ask(Int)
    case plain(Int)
    case deliver([Effect], turn: UInt64?)
    case tick
  }

  private var engine: Engine
  var clients: [Client]
  let syncMilliseconds: Int64
  private var now: Int64 = 0
  private var order: UInt64 = 0
  private var work: [(time: Int64, order: UInt64, work: Work)] = []
  private var diskIsFree: Int64 = 0
  private(set) var plainWrites = 0

  init(_ clients: [Client], syncMilliseconds: Int64) throws {
    let rules = try RuleSet.compile(#"{"rules": {".read": true, ".write": true}}"#)
    engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    (self.clients, self.syncMilliseconds) = (clients, syncMilliseconds)
    for index in clients.indices {
      decide(index, 0, .connect)
      decide(index, 0, .listen(ListenRequest(Path("c"))))
      schedule(.ask(index), at: 1)
      if let interval = clients[index].plainWriteIntervalMilliseconds { schedule(.plain(index), at: interval) }
    }
  }

  /// The counter's value: one for each commit.
  var value: Int64 { if case .int(let value)? = engine.state.root[Path("c")].scalar { value } else { 0 } }
  var commits: Int { clients.reduce(0) { $0 + $1.commits } }
  var tries: Int { clients.reduce(0) { $0 + $1.tries } }
  var turns: TransactionTurns { engine.turns }

  /// True when no client starts another transaction.
  private var isOver = false

  /// Advances the time, then lets all clients finish.
  mutating func run(milliseconds: Int64) throws {
    try pass(milliseconds: milliseconds)
    isOver = true
    try pass(milliseconds: 60_000)
  }

  private mutating func pass(milliseconds: Int64) throws {
    let end = now + milliseconds
    while let index = work.indices.min(by: { (work[$0].time, work[$0].order) < (work[$1].time, work[$1].order) }),
      work[index].time <= end
    {
      let item = work.remove(at: index)
      now = max(now, item.time)
      switch item.work {
      case .ask(let index) where !isOver: ask(index)
      case .plain(let index) where !isOver:
        plainWrites += 1
        decide(index, 0, .write(Self.put("d", Int64(plainWrites), over: nil)))
        if let interval = clients[index].plainWriteIntervalMilliseconds { schedule(.plain(index), at: now + interval) }
      case .deliver(let effects, let turn):
        if let turn { decide(nil, 0, .turnsDelivered(upTo: turn)) }
        for effect in effects { try perform(effect) }
      case .tick: decide(nil, 0, .tick)
      case .ask, .plain: break
      }
    }
    now = end
  }

  private mutating func ask(_ index: Int) {
    clients[index].request += 1
    clients[index].tries += 1
    clients[index].isWaiting = true
    let seen = clients[index].seen
    decide(index, clients[index].request, .write(Self.put("c", seen + 1, over: seen)))
  }

  private static func put(_ path: String, _ value: Int64, over old: Int64?) -> WriteOperation {
    WriteOperation(
      .put(Location(path: Path(path)), WriteValue(Node(.int(value)))),
      expectedHash: old.map { $0 == 0 ? "" : Node(.int($0)).simpleHash() })
  }

  private mutating func decide(_ index: Int?, _ request: Int32, _ action: Command.Action) {
    let connection = ConnectionID(rawValue: UInt64((index ?? -1) + 1))
    let command = Command(connection: connection, request: request > 0 ? request : nil, action: action)
    let batch = engine.decide([command], at: Instant(wallMilliseconds: now, monotonicMilliseconds: now))
    // Batches complete in order: a batch without commits waits for those before it.
    if batch.hasCommits { diskIsFree = max(diskIsFree, now) + syncMilliseconds }
    if !batch.effects.isEmpty || batch.turn != nil {
      schedule(.deliver(batch.effects, turn: batch.turn), at: max(diskIsFree, now))
    }
    if let deadline = engine.nextDeadlineMonotonicMilliseconds { schedule(.tick, at: max(now, deadline)) }
  }

  private mutating func schedule(_ item: Work, at time: Int64) {
    if case .tick = item, work.contains(where: { if case .tick = $0.work { $0.time == time } else { false } }) {
      return
    }
    order += 1
    work.append((time, order, item))
  }

  private mutating func perform(_ effect: Effect) throws {
    switch effect {
    case .event(let event, let recipients):
      guard case .put(let node) = event.change, case .int(let value)? = node.scalar else { return }
      for id in recipients { clients[Int(id.rawValue) - 1].seen = value }
    case .reply(let id, let request, let reply):
      let index = Int(id.rawValue) - 1
      guard clients[index].isWaiting, clients[index].request == request else {
        throw Failure(text: "\(index) was answered twice")
      }
      clients[index].isWaiting = false
      answered(index, reply)
    default: break
    }
  }

  private mutating func answered(_ index: Int, _ reply: Reply) {
    var client = clients[index]
    switch reply {
    case .written:
      client.commits += 1
      client.triesMax = max(client.triesMax, client.tries)
      client.waitMax = max(client.waitMax, now - client.began)
      client.began = now
    case .stale where client.isSilent: return
    default: break
    }
    clients[index] = client
    schedule(.ask(index), at: now + client.roundTripMilliseconds)
  }
}
