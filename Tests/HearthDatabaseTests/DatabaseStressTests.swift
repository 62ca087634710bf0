import Dispatch
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests in which several threads submit commands at once while a slow disk delays batches.
@Suite struct DatabaseStressTests {
  /// The messages to one connection, in the order of delivery.
  private struct Client {
    var replica = Node.empty
    var answered: [Int32] = []
  }

  private static let threadCount = 4
  private static let writeCount: Int32 = 150

  @Test func `responses come in order, and every client ends with the content of the tree`() throws {
    let clients = Mutex([ConnectionID: Client]())
    let journal = MemoryJournal()
    let rules = try RuleSet.compile("{\"rules\": {\".read\": true, \".write\": true}}")
    var limits = DatabaseLimits()
    (limits.engine.batchCommandsMax, limits.batchesPendingMax, limits.snapshotIntervalBytes) = (7, 3, 4_000)
    let environment = DatabaseEnvironment(
      clock: { Instant(wallMilliseconds: 0, monotonicMilliseconds: 0) }, schedule: { _, _ in },
      deliver: { effects, _ in
        clients.withLock { clients in
          for effect in effects { Self.follow(effect, &clients) }
        }
      })
    let database = try Database(
      name: "stress", journals: SingleJournalFactory(journal), initialRules: rules, environment: environment,
      limits: limits)
    DispatchQueue.concurrentPerform(iterations: Self.threadCount) { thread in
      Self.write(database, journal, thread: thread)
    }
    database.close()
    let seen = clients.withLock { $0 }
    #expect(seen.count == Self.threadCount)
    for (connection, client) in seen {
      #expect(client.answered == Array(1...Self.writeCount), "\(connection)")
      #expect(client.replica == database.published.root, "\(connection)")
    }
    let again = try Database(
      name: "again", journals: SingleJournalFactory(journal.crash()), initialRules: rules, environment: environment,
      limits: limits)
    #expect(again.published.root == database.published.root)
    #expect(again.published.position == database.published.position)
    again.close()
  }

  private static func write(_ database: Database, _ journal: MemoryJournal, thread: Int) {
    let connection = ConnectionID(rawValue: UInt64(thread + 1))
    var random = SeededRandom(seed: UInt64(thread))
    var commands = [
      Command(connection: connection, action: .connect),
      Command(connection: connection, action: .listen(ListenRequest(.root))),
    ]
    for number in 1...writeCount {
      let place = Path("k\(random.below(6))/k\(random.below(4))")
      let value = random.isOne(in: 4) ? Node.empty : Node(.int(Int64(number)))
      let operation = WriteOperation(.put(Location(path: place), WriteValue(value)))
      commands.append(Command(connection: connection, request: number, action: .write(operation)))
      if random.isOne(in: 3) {
        database.submit(commands)
        commands = []
      }
      // The disk is slow until the next thread opens the gate.
      if random.isOne(in: 20) { journal.gate.close() }
      if random.isOne(in: 5) { journal.gate.open() }
    }
    database.submit(commands)
    journal.gate.open()
  }

  private static func follow(_ effect: Effect, _ clients: inout [ConnectionID: Client]) {
    switch effect {
    case .event:
      effect.forEachPut { clients[$0, default: Client()].replica = $1.applied(to: clients[$0]?.replica ?? .empty) }
    case .queryEvent, .redecided: break
    case .reply(let connection, let request, .written): clients[connection, default: Client()].answered.append(request)
    case .reply, .authenticationEnded, .denied: break
    }
  }
}
