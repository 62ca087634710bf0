import HearthRules
import HearthTestKit
import HearthTree
import PagesTestKit
import Testing

@testable import HearthEngine

/// Tests of engines whose data is not in memory, and of pages that cannot be read.
@Suite struct PagedEngineTests {
  static let rules = """
    {"rules": {
      "open": {".read": true, ".write": true, "list": {".indexOn": "n"}},
      "gate": {".read": "root.child('flag').exists() || root.child('locks/locked').val() == true"},
      "locked": {".read": "root.child('locks/locked').val() == null",
                 ".write": "root.child('locks/locked').val() == null"}}}
    """

  /// Data of which each part has pages of its own. The rules grant access to `locked` when a lock is missing.
  static func data(listCount: Int) throws -> Node {
    let text = String(repeating: "text ", count: 20)
    let list = (0..<listCount).map {
      (Path("k\($0)"), Node.empty.replacing([(Path("n"), Node(.int(Int64($0)))), (Path("t"), Node(.string(text)))]))
    }
    let locks = (0..<40).map { (Path("a\($0)"), Node(.string(text))) }
    let padding = (0..<40).map { (Path("p\($0)"), Node(.string(text))) }
    return Node.empty.replacing(padding).replacing([
      (Path("flag"), Node(.bool(true))),
      (Path("open"), Node.empty.replacing(locks).replacing([(Path("list"), Node.empty.replacing(list))])),
      (Path("locks"), Node.empty.replacing(locks).replacing(Path("locked"), with: Node(.bool(true)))),
      (Path("locked"), Node.empty.replacing(locks).replacing(Path("secret"), with: Node(.string("hidden")))),
    ])
  }

  /// An engine that has nothing in memory before each command.
  struct Host {
    var engine: Engine
    var store = MemoryStore()
    private var evictor: StateEvictor
    /// The number of reads until one fails; nil when none fails.
    var readsUntilFailure: Int?
    /// The number of reads of commands.
    var readCount = 0

    init(limits: EngineLimits = EngineLimits(), listCount: Int = 60) throws {
      let state = DatabaseState(
        root: try PagedEngineTests.data(listCount: listCount), rules: try RuleSet.compile(PagedEngineTests.rules),
        position: 0)
      engine = Engine(state: state, limits: limits)
      engine.storeIndexes()
      evictor = StateEvictor(of: store.store)
    }

    mutating func evictAll() throws {
      for part in [DatabaseState.Part.data, .sessions, .indexes] { _ = try store.save(engine.state[part]) }
      for _ in 0..<2 {
        repeat { engine.evict(by: &evictor, sizeBytes: .max) } while !evictor.isAtStart
      }
    }

    /// Does some work in which a read fails when its turn has come.
    ///
    /// - Returns: True when a read has failed.
    mutating func reading<Result>(_ body: (inout Engine) -> Result) -> (Result, isFailed: Bool) {
      if let readsUntilFailure { store.pages.fail(after: readsUntilFailure, times: 1) }
      let before = store.pages.readCount
      let result = body(&engine)
      let count = store.pages.readCount - before
      readCount += count
      store.pages.fail(after: .max)
      guard let left = readsUntilFailure else { return (result, false) }
      readsUntilFailure = left < count ? nil : left - count
      return (result, left < count)
    }

    mutating func decide(
      _ commands: [Command], at milliseconds: Int64 = 0, settingAside: Bool = false
    ) throws -> (batch: Batch, isFailed: Bool) {
      try evictAll()
      let now = Instant(wallMilliseconds: 0, monotonicMilliseconds: milliseconds)
      let (batch, isFailed) = reading { $0.decide(commands[...], at: now, settingAside: settingAside) }
      return (batch, isFailed)
    }
  }

  private static func command(_ connection: UInt64, _ action: Command.Action, isAdministrator: Bool = false) -> Command
  {
    Command(
      connection: ConnectionID(rawValue: connection), request: 1, principal: isAdministrator ? .administrator : nil,
      action: action)
  }

  private static func put(_ path: String, _ value: Node) -> WriteOperation.Change {
    .put(Location(path: Path(path)), WriteValue(value))
  }

  private static func write(_ path: String, _ value: Int64) -> Command.Action {
    .write(WriteOperation(put(path, Node(.int(value)))))
  }

  private static let lastTwo = Query(order: .child(Path("n")), limit: .last(2))

  private static func scenario() throws -> [Command] {
    let data = try data(listCount: 60)
    let (open, hash) = (Path("open/list"), data[Path("open/list")].simpleHash())
    let copy = Transaction { draft in
      draft.replace(Path("open/copy"), with: draft.root[Path("open/list/k3")])
      return true
    }
    let merge = WriteOperation(
      .merge(
        Path("open"),
        ["x", "list/k9/n"].map { Write(location: Location(path: Path($0)), value: WriteValue(Node(.int(2_000)))) }))
    let swap = WriteOperation(
      put("open/list/k5", Node(.int(1))), expectedHash: data[Path("open/list/k5")].simpleHash())
    return [
      command(1, .connect), command(2, .connect),
      command(1, .listen(ListenRequest(Path("open/x")))),
      command(1, .listen(ListenRequest(open, hash: hash))),
      command(2, .listen(ListenRequest(open, query: lastTwo, tag: 1))),
      command(1, write("open/x", 5)),
      command(2, write("open/list/k7/n", 1_000)),
      command(1, .get(Path("locked"))),
      command(1, write("locked/secret", 1)),
      command(2, .listen(ListenRequest(Path("locked")))),
      command(1, .onDisconnect(put("locked/secret", Node(.int(2))))),
      command(1, .onDisconnect(put("open/gone", Node(.int(3))))),
      command(1, .write(swap)), command(1, .write(swap)),
      command(1, .transact(copy), isAdministrator: true),
      command(2, .get(open, Query(order: .key, limit: .first(2)))),
      command(2, .get(open, lastTwo)),
      command(1, .write(merge)),
      command(2, .listen(ListenRequest(open, hash: hash))),
      command(2, .listen(ListenRequest(open, query: Query(order: .key, limit: .last(1)), tag: 1))),
      command(2, .authenticate(Principal(auth: .object([])))),
      command(1, .write(WriteOperation(put("locks/locked", .empty))), isAdministrator: true),
      command(2, .listen(ListenRequest(Path("locked/secret")))),
      command(1, .write(WriteOperation(put("locks/locked", Node(.bool(true))))), isAdministrator: true),
      command(2, .listen(ListenRequest(Path("gate")))),
      command(1, .write(WriteOperation(put("flag", .empty))), isAdministrator: true),
      command(1, .disconnect),
      command(2, .get(Path("open"))),
      command(0, .tick),
    ]
  }

  private struct Run {
    struct Step: Equatable {
      var lines: [String]
      var payload: [UInt8]
    }
    var steps: [Step] = []
    /// The index of the command in which a read failed; nil when none did.
    var failed: Int?
    var isUnsound = false
    var readCount = 0
    var root = Node.empty
  }

  /// Decides the scenario.
  ///
  /// - Parameters:
  ///   - reads: The number of reads before the one that fails; nil when none fails.
  ///   - skipped: The index of a command to leave out.
  private func run(failingAfter reads: Int? = nil, skipping skipped: Int? = nil) throws -> Run {
    var (host, run) = (try Host(), Run())
    host.readsUntilFailure = reads
    let commands = try Self.scenario()
    for (index, command) in commands.enumerated() {
      if index == skipped {
        run.steps.append(Run.Step(lines: [], payload: []))
        continue
      }
      // On-disconnect writes are tried again before the last command.
      let (batch, isFailed) = try host.decide([command], at: index == commands.count - 1 ? 20_000 : 0)
      if isFailed { run.failed = index }
      if batch.isUnsound {
        run.isUnsound = true
        return run
      }
      let lines = batch.effects.flatMap { $0.scenarioLines() }
      run.steps.append(Run.Step(lines: lines, payload: batch.payload))
    }
    (run.readCount, run.root) = (host.readCount, host.engine.state.root)
    return run
  }

  @Test("whichever read fails, only the command that needs it is refused, or nothing of its batch is passed on")
  func everyRead() throws {
    let (plain, commands) = (try run(), try Self.scenario())
    #expect(plain.steps[7].lines == ["log 1 get /locked: .read at /locked", "1 permission-denied"])
    #expect(plain.steps[22].lines == ["2 < put /locked/secret \"hidden\"", "2 ok"])
    #expect(plain.steps[26].payload.count > 0)
    var (refusedCount, unsoundCount, runs) = (0, 0, [Int: Run]())
    for reads in 0..<plain.readCount {
      let run = try run(failingAfter: reads)
      let index = try #require(run.failed)
      #expect(run.steps.prefix(index) == plain.steps.prefix(index), "read \(reads)")
      if run.isUnsound {
        unsoundCount += 1
        continue
      }
      refusedCount += 1
      if case .disconnect = commands[index].action {
        // The connection has ended, and its writes are made later.
        #expect(run.steps[index] == Run.Step(lines: [], payload: []), "read \(reads)")
        #expect(run.root == plain.root, "read \(reads)")
        continue
      }
      #expect(
        run.steps[index] == Run.Step(lines: ["\(commands[index].connection.rawValue) unavailable"], payload: []),
        "read \(reads), command \(index)")
      let expected = try runs[index] ?? self.run(skipping: index)
      runs[index] = expected
      #expect(run.steps.suffix(from: index + 1) == expected.steps.suffix(from: index + 1), "read \(reads)")
    }
    #expect(refusedCount > 50 && unsoundCount > 0, "\(refusedCount) and \(unsoundCount)")
  }

  @Test("work in the background that cannot read a page refuses its command, which can be repeated")
  func background() throws {
    var limits = EngineLimits()
    (limits.largeWriteBytes, limits.inlineQueriedChildrenMax, limits.inlineHashBytesMax) = (0, 10, 64)
    let commands = [
      Self.command(1, Self.write("open/list/k7/n", 7)),
      Self.command(1, .get(Path("open/list"), Self.lastTwo)),
      Self.command(
        1, .listen(ListenRequest(Path("open/list"), query: Query(order: .value, start: .init(value: .int(9))), tag: 1))),
      Self.command(1, .listen(ListenRequest(Path("open/list"), hash: "none"))),
      Self.command(1, .write(WriteOperation(Self.put("open/list", Node(.int(1))), expectedHash: "none"))),
    ]
    for command in commands {
      var host = try Host(limits: limits)
      _ = try host.decide([Self.command(1, .connect)])
      let now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
      for reads in [0, nil] {
        host.readsUntilFailure = nil
        let large = try #require(try host.decide([command], settingAside: true).batch.largeCommand, "\(command)")
        try host.evictAll()
        host.readsUntilFailure = reads
        let (batch, isFailed) = host.reading { engine in
          switch large {
          case .write(let write): engine.settle(write.decided(), at: now)
          case .query(let query): engine.settle(query.evaluated(), at: now, isLast: true)
          case .comparison(let comparison): engine.settle(comparison.compared(), at: now, isLast: true)
          }
        }
        let lines = batch.effects.flatMap { $0.scenarioLines() }
        #expect(isFailed == (reads != nil) && !batch.isUnsound, "\(command)")
        if isFailed {
          #expect(lines == ["1 unavailable"] && !batch.hasCommits, "\(command)")
        } else {
          #expect(lines.last?.contains("unavailable") == false, "\(command)")
        }
      }
    }
  }

  @Test("a live query that cannot be evaluated in the background makes its batch unsound")
  func liveEvaluation() throws {
    var host = try Host()
    try host.evictAll()
    let path = Path("open/list")
    let query = LargeQuery(
      command: Self.command(1, .tick), path: path, query: Self.lastTwo, node: host.engine.state.root[path], index: nil,
      makesIndex: false, isListen: true)
    host.readsUntilFailure = 1
    let (found, isFailed) = host.reading { _ in query.evaluated() }
    #expect(isFailed)
    let now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
    #expect(host.engine.settle(evaluated: found, at: now).isUnsound)
  }

  @Test("work in the background does not put the pages that it reads into the version")
  func streaming() throws {
    var host = try Host(listCount: 900)
    try host.evictAll()
    let query = LargeQuery(
      command: Self.command(1, .tick), path: Path("open/list"), query: Self.lastTwo,
      node: host.engine.state.root[Path("open/list")], index: nil, makesIndex: true, isListen: true)
    let before = host.store.store.residentBytes
    let found = query.evaluated()
    #expect(found.steps > 10 * EngineLimits.pageReadSteps)
    #expect(host.store.store.residentBytes < before + 10_000)
  }

  @Test("reads of pages are steps of the command, and end its batch")
  func steps() throws {
    var host = try Host(listCount: 900)
    let commands = (0..<60).map { Self.command(1, .get(Path("open/list/k\($0 * 15)")), isAdministrator: true) }
    let (batch, _) = try host.decide(commands)
    #expect((8..<50).contains(batch.commandCount), "\(batch.commandCount)")
    #expect(batch.work.reduce(0) { $0 + $1.steps } > EngineLimits().stepsPerBatch * 9 / 10)
    // Nothing is read when all is in memory.
    let again = host.engine.decide(
      commands.prefix(batch.commandCount), at: Instant(wallMilliseconds: 0, monotonicMilliseconds: 0))
    #expect(again.commandCount == batch.commandCount && again.work.isEmpty)
  }

  @Test("redecisions count the pages that they read")
  func redecisionSteps() throws {
    var host = try Host(listCount: 900)
    let rules = #"{"rules": {"open": {"list": {"$k": {".read": "data.child('n').val() < 500"}}}}}"#
    _ = try host.decide([Self.command(1, .deployRules(try RuleSet.compile(rules)), isAdministrator: true)])
    _ = try host.decide([Self.command(1, .connect)])
    for number in 0..<60 {
      _ = try host.decide([Self.command(1, .listen(ListenRequest(Path("open/list/k\(number * 15)"))))])
    }
    _ = try host.decide([Self.command(1, .deployRules(try RuleSet.compile(rules)), isAdministrator: true)])
    #expect(host.engine.hasPendingRedecisions, "the rest follows between later commands")
    var batches = 0
    while host.engine.hasPendingRedecisions, batches < 60 {
      let (batch, _) = try host.decide([Self.command(1, .tick)])
      #expect(batch.work.allSatisfy { $0.steps < 4 * EngineLimits().redecisionStepsPerSlice })
      batches += 1
    }
    #expect(batches > 0)
  }

  @Test("a write that is decided while pages are evicted does not bring them back into memory")
  func evictionDuringLargeWrite() throws {
    var limits = EngineLimits()
    limits.largeWriteBytes = 0
    var host = try Host(limits: limits, listCount: 900)
    try host.evictAll()
    _ = host.engine.state.root.json(.export)
    let residentBytes = host.store.store.residentBytes
    let now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
    let command = Self.command(1, Self.write("open/x", 5), isAdministrator: true)
    var write = host.engine.decide([command], at: now, settingAside: true).setAside
    try host.evictAll()
    var batch: Batch? = host.engine.settle(try #require(write).decided(), at: now)
    #expect(batch?.hasCommits == true && host.engine.state.root[Path("open/x")] == Node(.int(5)))
    (write, batch) = (nil, nil)
    host.engine.releaseVersions()
    #expect(residentBytes > 100_000 && host.store.store.residentBytes < residentBytes / 4)
  }
}
