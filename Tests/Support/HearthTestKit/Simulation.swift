import HearthDatabase
import HearthEngine
import HearthJournal
import HearthRules
import HearthTree
import RandomTestKit

/// One step of a ``Simulation``: a command, and the meaning of the rules if it deploys rules.
struct SimulationStep {
  var command: Command
  var rules: SimulationRules?
}

/// A seeded run of one database: users connect and disconnect, sign in and out, join rooms and are removed; rules
/// change, credentials expire, time passes, and all users write. A ``SimulationChecker`` checks every step.
package struct Simulation {
  /// The counts of one run.
  package struct Summary: Sendable {
    /// The number of steps.
    package var stepCount = 0
    /// The number of committed writes.
    package var commitCount: Int64 = 0
    /// The number of events to clients.
    package var eventCount = 0
    /// The number of cancelled listens.
    package var cancelCount = 0
    /// The number of events for listens with a query.
    package var queryEventCount = 0
    /// The number of events that were delivered after later commits because listens were waiting for their evaluation.
    package var lateCount = 0
    /// The number of steps after which listens were waiting for their evaluation.
    package var pendingCount = 0
    /// The number of server restarts.
    package var startCount = 0
    /// The number of steps that executed on-disconnect writes.
    package var endCount = 0
    /// The number of writes that were decided in the background.
    package var asideCount = 0
    /// The number of background writes that had to be decided again.
    package var againCount = 0
    /// The number of ownership changes between two servers.
    package var ownerCount = 0
    /// The number of commands that were refused because a page could not be read.
    package var refusedCount = 0
    /// The number of batches that failed reads made unsound.
    package var unsoundCount = 0
    /// The number of pages that were read.
    package var readCount = 0
  }

  private static let clientCount = 6
  static let uids = ["u0", "u1", "u2", "u3"]

  var random: SeededRandom
  private(set) var engine: Engine
  /// The durable journal.
  private var journal = MemoryJournal()
  private var head: JournalHead
  private let conditions: SimulationConditions
  private let initialRules: RuleSet
  private var (startCount, endCount) = (0, 0)
  /// A write that is decided in the background, with the number of steps until it is settled and the number of all such
  /// writes.
  private var aside: (step: SimulationStep, write: DecidedWrite, left: Int)?
  private var (asideCount, againCount) = (0, 0)
  /// A random generator apart from the main one, so that a seed gives the same run with and without background writes.
  private var asideRandom: SeededRandom
  /// Commands of clients that reconnect after a restart.
  private var returning: [Command] = []
  /// An engine that decides in one batch the commands that the main engine decided one by one at the same clock time.
  private var twin: Engine
  private var waiting: (commands: [Command], effects: [String]) = ([], [])
  private var checker: SimulationChecker
  private var follower: SimulationFollower?
  private var servers: SimulationServers?
  /// The pages of the engine's data; nil when all of it stays in memory.
  private var pages: SimulationPages?
  private let policies: [SimulationPolicy]
  let isWriteHeavy: Bool
  private(set) var now = Instant(wallMilliseconds: 1_000_000, monotonicMilliseconds: 0)

  /// Creates a run that the seed determines.
  ///
  /// - Throws: An error when generated rules do not compile, which would be a defect of the simulation.
  package init(seed: UInt64, _ conditions: SimulationConditions = SimulationConditions()) throws {
    random = SeededRandom(seed: seed)
    asideRandom = SeededRandom(seed: ~seed)
    policies = conditions.policies
    isWriteHeavy = conditions.isWriteHeavy
    let rules = SimulationRules(policies, &random)
    let limits = conditions.limits
    if conditions.isCold { pages = SimulationPages(seed: seed) }
    self.conditions = conditions
    initialRules = try RuleSet.compile(rules.source)
    head = try journal.acquire()
    let state = DatabaseState(root: .empty, rules: initialRules, position: 0)
    engine = Engine(state: state, limits: limits, ignoring: conditions.ignored)
    twin = Engine(state: state, limits: limits, ignoring: conditions.ignored)
    engine.faults = conditions.faults
    twin.faults = conditions.faults
    if conditions.isCold { engine.storeIndexes() }
    if conditions.isFollowed {
      follower = SimulationFollower(state: state, limits: limits)
      servers = SimulationServers(seed: seed, state: state, limits: limits)
    }
    checker = SimulationChecker(
      rules: rules, limits: limits, hasRoomForOrders: conditions.hasRoomForOrders, isSliced: conditions.isSliced)
  }

  /// Runs a number of steps.
  ///
  /// - Throws: An error with the broken requirement and its step.
  package mutating func run(stepCount: Int) throws -> Summary {
    for number in 0..<stepCount {
      if random.isOne(in: 3) {
        try followTogether(step: number)
        pass(milliseconds: random.below(400))
        if random.isOne(in: 50) {
          try settle(step: number)
          try followTogether(step: number)
          try restart(step: number)
        }
      }
      if aside?.left == 0 { try settle(step: number) }
      aside?.left -= 1
      let step =
        conditions.isCold && number % 50 == 0
        ? SimulationStep(command: write(ConnectionID(rawValue: 1), as: .administrator, Self.padding)) : try nextStep()
      if conditions.releasesVersions, asideRandom.isOne(in: 3) { engine.releaseVersions() }
      if try failRead(step, number) { continue }
      try pages?.evictAll(of: &engine)
      if try setAside(step, number) { continue }
      try follow(step, engine.decide([step.command], at: now), number)
    }
    try settle(step: stepCount)
    while engine.hasPendingRedecisions { try tick(stepCount) }
    return Summary(
      stepCount: stepCount, commitCount: engine.state.position, eventCount: checker.eventCount,
      cancelCount: checker.cancelCount, queryEventCount: checker.queryEventCount, lateCount: checker.lateCount,
      pendingCount: checker.pendingCount, startCount: startCount,
      endCount: endCount, asideCount: asideCount, againCount: againCount, ownerCount: servers?.ownerCount ?? 0,
      refusedCount: pages?.refusedCount ?? 0, unsoundCount: pages?.unsoundCount ?? 0, readCount: pages?.readCount ?? 0)
  }

  /// Makes a decided batch durable and checks it.
  private mutating func follow(_ step: SimulationStep, _ batch: Batch, _ number: Int) throws {
    try keep(batch)
    if case .disconnect = step.command.action, batch.hasCommits { endCount += 1 }
    let effects = batch.effects.flatMap { $0.scenarioLines() }
    waiting.commands.append(step.command)
    waiting.effects += effects
    do {
      try checker.check(step, batch, at: now, isPending: engine.hasPendingRedecisions)
      try follower?.check(step.command, batch, at: now)
      try servers?.check(step.command, batch, at: now)
    } catch {
      throw Failure(step: number, text: "\(error)\nafter \(step.command)\neffects \(effects)")
    }
  }

  private mutating func tick(_ number: Int) throws {
    let step = SimulationStep(command: Command(connection: ConnectionID(rawValue: 1), action: .tick))
    try follow(step, engine.decide([step.command], at: now), number)
  }

  // MARK: Pages

  /// Occasionally lets a read of a command fail. A refused command has no effect but its answer.
  ///
  /// - Returns: True when the server was restarted, and the command is lost.
  private mutating func failRead(_ step: SimulationStep, _ number: Int) throws -> Bool {
    // An ended connection's on-disconnect writes are tried again later, and not when the connection ends again.
    if case .disconnect = step.command.action { return false }
    guard conditions.failsReads, !engine.hasPendingRedecisions, pages?.isFailing() == true else { return false }
    try tick(number)
    try pages?.evictAll(of: &engine)
    let count = pages?.failNext() ?? 0
    let before = engine.state.position
    let batch = engine.decide([step.command], at: now)
    guard let isFailed = pages?.endFailure(), isFailed else {
      try follow(step, batch, number)
      return true
    }
    if batch.isUnsound {
      pages?.unsoundCount += 1
      (waiting, aside) = (([], []), nil)
      try restart(step: number, isUnsound: true)
      return true
    }
    pages?.refusedCount += 1
    let lines = batch.effects.flatMap { $0.scenarioLines() }
    guard batch.unreadPath != nil, lines == ["\(step.command.connection.rawValue) unavailable"], !batch.hasCommits,
      engine.state.position == before
    else { throw Failure(step: number, text: "read \(count) failed, and the effects of \(step.command) are \(lines)") }
    return false
  }

  // MARK: Writes in the background

  /// Occasionally decides a write on the present state and settles it after other commands.
  private mutating func setAside(_ step: SimulationStep, _ number: Int) throws -> Bool {
    guard conditions.setsAside, aside == nil, case .write = step.command.action, asideRandom.isOne(in: 4) else {
      return false
    }
    let batch = engine.decide([step.command], at: now, settingAside: true)
    guard let write = batch.setAside else {
      try follow(step, batch, number)
      return true
    }
    try pass(time: batch, number)
    aside = (step, write.decided(), asideRandom.below(3))
    asideCount += 1
    return true
  }

  /// Settles the background write. Its effects are those of a write that is decided now.
  private mutating func settle(step number: Int) throws {
    guard let (step, write, _) = aside else { return }
    aside = nil
    var batch = engine.settle(write, at: now)
    if let again = batch.setAside {
      againCount += 1
      try pass(time: batch, number)
      batch = engine.settle(again.decided(), at: now)
    }
    guard batch.setAside == nil else {
      throw Failure(step: number, text: "nothing came between, and it does not stand")
    }
    try follow(step, batch, number)
  }

  /// Applies the effects of time before a write is decided in the background.
  private mutating func pass(time batch: Batch, _ number: Int) throws {
    try follow(SimulationStep(command: Command(connection: ConnectionID(rawValue: 1), action: .tick)), batch, number)
  }

  /// An error for a broken requirement.
  package struct Failure: Error, CustomStringConvertible {
    /// The number of the step, from 1.
    package var step: Int
    /// The broken requirement and the actual result.
    package var text: String
    package var description: String { "step \(step): \(text)" }
  }

  private mutating func pass(milliseconds: Int) {
    // Occasionally the wall clock goes back.
    now.wallMilliseconds += random.isOne(in: 30) ? -2_000 : Int64(milliseconds)
    now.monotonicMilliseconds += Int64(milliseconds)
  }

  /// Checks that the decisions since the last clock change have the same result as one batch.
  private mutating func followTogether(step: Int) throws {
    var (rest, effects) = (waiting.commands[...], [String]())
    while !rest.isEmpty {
      let batch = twin.decide(rest, at: now)
      effects += batch.effects.flatMap { $0.scenarioLines() }
      rest = rest.dropFirst(batch.commandCount)
    }
    guard effects == waiting.effects || conditions.releasesVersions, twin.state.root == engine.state.root else {
      throw Failure(step: step, text: "as one batch the last steps have the effects\n\(effects)\n\(waiting.effects)")
    }
    waiting = ([], [])
  }

  // MARK: Restarts

  /// Makes a batch durable.
  private mutating func keep(_ batch: Batch) throws {
    guard batch.hasCommits else { return }
    let entry = JournalBatch(
      firstPosition: batch.firstPosition, lastPosition: batch.state.position, payload: batch.payload)
    head = try journal.append(entry, after: head)
  }

  /// Kills the server and restarts it from durable data. Occasionally a snapshot was written before, and a decision
  /// that was not yet delivered is lost.
  ///
  /// - Parameter isUnsound: True when the engine cannot be used any more.
  private mutating func restart(step: Int, isUnsound: Bool = false) throws {
    if random.isOne(in: 2), engine.state.position > 0, !isUnsound {
      try engine.state.store(in: journal, chunkBytes: 1 + random.below(64))
    }
    if random.isOne(in: 2), !isUnsound { _ = engine.decide([try nextStep().command], at: now) }
    journal = journal.crash()
    head = try journal.acquire()
    do {
      engine = try recovered()
      twin = try recovered()
      try checker.checkRecovered(engine.state)
      let found = engine.state
      var batches: [Batch] = []
      while engine.hasLeftoverSessions {
        let batch = engine.decide([], at: now)
        _ = twin.decide([], at: now)
        try keep(batch)
        batches.append(batch)
      }
      try checker.checkStart(batches, at: now)
      try follower?.checkStart(from: found, batches, limits: conditions.limits, at: now)
      try servers?.checkStart(engine.state, at: now)
    } catch let violation as SimulationChecker.Violation {
      throw Failure(step: step, text: "\(violation)\nat a start")
    }
    startCount += 1
    for number in 1...UInt64(Self.clientCount) where !random.isOne(in: 4) {
      let connection = ConnectionID(rawValue: number)
      returning.append(Command(connection: connection, request: 1, action: .connect))
      returning.append(Command(connection: connection, request: 1, action: .authenticate(randomPrincipal())))
    }
  }

  private func recovered() throws -> Engine {
    var engine = try Engine(
      recovering: journal, upTo: head, initialRules: initialRules, limits: conditions.limits,
      ignoring: conditions.ignored)
    engine.faults = conditions.faults
    if conditions.isCold { engine.storeIndexes() }
    return engine
  }

  // MARK: Random steps

  private mutating func nextStep() throws -> SimulationStep {
    if !returning.isEmpty { return SimulationStep(command: returning.removeFirst()) }
    let connection = ConnectionID(rawValue: UInt64(1 + random.below(Self.clientCount)))
    func command(_ action: Command.Action) -> SimulationStep {
      SimulationStep(command: Command(connection: connection, request: 1, action: action))
    }
    switch random.below(100) {
    case 0..<6: return command(.connect)
    case 6..<8: return command(.disconnect)
    case 91..<97:
      return command(.onDisconnect(isWriteHeavy && random.isOne(in: 2) ? randomMessageWrite() : randomWrite()))
    case 97: return command(.cancelOnDisconnect(randomLocation()))
    case 8..<18: return command(.authenticate(randomPrincipal()))
    case 18..<20: return command(.unauthenticate)
    case 20..<40: return command(.listen(listenRequest()))
    case 40..<42: return command(.get(readPath(), randomQuery()))
    case 42..<45: return command(unlisten())
    case 45: return command(.tick)
    case 46: return command(.endCredential())
    case 47..<49 where !isWriteHeavy || random.isOne(in: 4): return try deploy(connection)
    case 49..<60: return SimulationStep(command: write(connection, as: randomPrincipal(), randomWrite()))
    case 60..<98 where isWriteHeavy:
      return SimulationStep(command: write(connection, as: .administrator, randomMessageWrite()))
    default: return SimulationStep(command: write(connection, as: .administrator, randomAdministrationWrite()))
    }
  }

  private mutating func randomPrincipal() -> Principal {
    if random.isOne(in: 12) {
      return Principal(auth: nil, isAdministrator: true, deadlineMonotonicMilliseconds: randomDeadline())
    }
    let claims: [JSON.Member] = [
      JSON.Member("uid", .string(random.pick(Self.uids))),
      JSON.Member("token", .object([JSON.Member("level", .int(Int64(random.below(4))))])),
    ]
    return Principal(auth: .object(claims), deadlineMonotonicMilliseconds: randomDeadline())
  }

  private mutating func randomDeadline() -> Int64? {
    random.isOne(in: 2) ? now.monotonicMilliseconds + Int64(random.below(4_000)) : nil
  }

  private mutating func deploy(_ connection: ConnectionID) throws -> SimulationStep {
    let rules = SimulationRules(policies, &random)
    let set = try RuleSet.compile(rules.source)
    return SimulationStep(
      command: Command(connection: connection, request: 1, principal: .administrator, action: .deployRules(set)),
      rules: rules)
  }

  private func write(
    _ connection: ConnectionID, as principal: Principal, _ change: WriteOperation.Change
  ) -> Command {
    // A one-off identity is independent of the connection's own.
    let oneOff = Principal(auth: principal.auth, isAdministrator: principal.isAdministrator)
    return Command(connection: connection, request: 1, principal: oneOff, action: .write(WriteOperation(change)))
  }
}
