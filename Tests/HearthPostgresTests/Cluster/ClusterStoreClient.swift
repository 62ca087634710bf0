import Dispatch
import HearthCluster
import HearthJournal
import Synchronization

@testable import HearthPostgres

/// One node's connections to the store of a cluster, used one call at a time.
final class ClusterStoreClient: Sendable {
  let fixture: PostgresFixture
  let store: PostgresClusterStore
  let database: DatabaseID
  private let reports = Reports()

  init(
    _ fixture: PostgresFixture, sql: ClusterSQL = ClusterSQL(), leaseMilliseconds: Int64 = 6_000, name: String = "main"
  ) throws {
    self.fixture = fixture
    var timing = ClusterTiming()
    timing.leaseMilliseconds = leaseMilliseconds
    store = try PostgresClusterStore(fixture.engine, address: "127.0.0.1:1", timing: timing, sql: sql) {
      [reports] error in
      reports.add(error)
    }
    database = try store.database(name, of: "")
  }

  deinit { store.close() }

  /// The errors reported to the operator.
  var reported: [JournalError] { reports.all }

  func ask(_ call: StoreCall) -> StoreAnswer {
    Self.wait { then in store.ask(call, of: database, then: then) }
  }

  func ask(_ call: NodeLease.Call) -> NodeLease.Answer {
    Self.wait { then in store.ask(call, then: then) }
  }

  /// Sends all calls before it waits for the first answer.
  func ask(_ calls: [StoreCall]) -> [StoreAnswer] {
    let boxes = calls.map { call in
      let box = Box<StoreAnswer>()
      store.ask(call, of: database) { box.put($0) }
      return box
    }
    return boxes.map { $0.take() }
  }

  /// Claims the database repeatedly until this incarnation owns it, and appends the takeover row.
  ///
  /// - Parameter rows: The known log, to which new rows are added.
  func takeOver(by run: Incarnation, _ rows: inout [LogRow]) throws -> Int64 {
    for _ in 0..<1_000 {
      guard case .owner(let record) = ask(.readOwner),
        case .claimed(let epoch) = ask(.claim(seen: record.epoch, known: 0, by: run))
      else { continue }
      while case .rows(let reading) = ask(.read(after: rows.last?.batch.lastPosition ?? 0)),
        reading.owner.epoch == epoch
      {
        guard reading.start == rows.last?.head ?? .empty else { throw Unexpected(description: "another log") }
        rows += reading.rows
        let head = rows.last?.head ?? .empty
        guard reading.rows.isEmpty, head == reading.end else { continue }
        let row = LogRow([.takeover(run)], after: head, epoch: epoch)
        switch ask(.append(row, after: head, claim: epoch)) {
        case .done:
          rows.append(row)
          return epoch
        case .refused: continue
        default: break
        }
        break
      }
    }
    throw Unexpected(description: "no takeover in many attempts")
  }

  /// Registers a new incarnation of a node.
  func register(_ name: String) throws -> Incarnation {
    guard case .registered(let run) = ask(.register(NodeID(name))) else { throw Unexpected(description: "no run") }
    return run
  }

  func claim(seen: Int64, known: Int64 = 0, by run: Incarnation) throws -> Int64 {
    let answer = ask(.claim(seen: seen, known: known, by: run))
    guard case .claimed(let epoch) = answer else { throw Unexpected(description: "\(answer) for a claim") }
    return epoch
  }

  func owner() throws -> OwnerRecord {
    guard case .owner(let record) = ask(.readOwner) else { throw Unexpected(description: "no owner's record") }
    return record
  }

  func read(after position: Int64 = 0) throws -> LogReading {
    let answer = ask(.read(after: position))
    guard case .rows(let reading) = answer else { throw Unexpected(description: "\(answer) for a reading") }
    return reading
  }

  /// Returns the log after a position, or the whole log after 0.
  func log(after position: Int64 = 0) throws -> [LogRow] {
    var rows: [LogRow] = []
    while true {
      let last = rows.last?.batch.lastPosition ?? position
      let reading = try read(after: last)
      rows += reading.rows
      if rows.last?.batch.lastPosition ?? last >= reading.end.position { return rows }
    }
  }

  struct Unexpected: Error, CustomStringConvertible { var description: String }

  private final class Reports: Sendable {
    private let errors = Mutex<[JournalError]>([])
    func add(_ error: JournalError) { errors.withLock { $0.append(error) } }
    var all: [JournalError] { errors.withLock { $0 } }
  }

  private static func wait<Answer: Sendable>(_ ask: (@escaping @Sendable (Answer) -> Void) -> Void) -> Answer {
    let box = Box<Answer>()
    ask { box.put($0) }
    return box.take()
  }

  private final class Box<Answer: Sendable>: Sendable {
    private let found = Mutex<Answer?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func put(_ answer: Answer) {
      found.withLock { $0 = answer }
      isThere.signal()
    }

    func take() -> Answer {
      isThere.wait()
      // The answer is set before the signal.
      return found.withLock { $0! }
    }
  }
}
