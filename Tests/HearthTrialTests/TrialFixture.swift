import HearthEngine
import HearthRules
import HearthTree
import Testing

@testable import HearthTrial

/// An engine whose decisions are evaluated with staged rules at once.
struct TrialFixture {
  var engine: Engine
  var judge: TrialJudge
  var tally: TrialTally
  var now: Int64 = 1_000
  /// The decisions of the last command.
  var decided = RecordedDecisions()
  var effects: [Effect] = []

  init(
    rules: String, staged: String, data: String = "null", limits: TrialLimits = TrialLimits(),
    engineLimits: EngineLimits = EngineLimits()
  ) throws {
    let state = DatabaseState(root: try Self.node(data), rules: try RuleSet.compile(rules), position: 0)
    engine = Engine(state: state, limits: engineLimits)
    engine.recordDecisions(.cases)
    judge = TrialJudge(of: try RuleSet.compile(staged), limits: limits)
    tally = TrialTally(startedMilliseconds: now, limits: limits)
  }

  static func node(_ json: String) throws -> Node {
    try Array(json.utf8).withUnsafeBytes { buffer in
      var reader = JSONReader(buffer)
      let value = try reader.writeValue()
      try reader.end()
      return value.node
    }
  }

  static func user(_ uid: String?) -> Principal {
    uid.map { Principal(auth: .object([.init("uid", .string($0))])) } ?? .signedOut
  }

  var report: TrialReport { tally.reported(droppedCount: 0) }

  mutating func perform(_ action: Command.Action, as uid: String? = nil, connection: UInt64 = 1) {
    perform(
      Command(
        connection: ConnectionID(rawValue: connection), request: 1, principal: Self.user(uid), action: action))
  }

  mutating func perform(_ command: Command) {
    now += 1
    let instant = Instant(wallMilliseconds: now, monotonicMilliseconds: now)
    let batch = engine.decide([command], at: instant, settingAside: true)
    effects = batch.effects
    take(batch)
    guard let write = batch.setAside else { return }
    let settled = engine.settle(write.decided(), at: instant)
    effects = settled.effects
    take(settled)
  }

  private mutating func take(_ batch: Batch) {
    decided = batch.decided ?? RecordedDecisions()
    for decidedCase in decided.cases { judge.judge(decidedCase, into: &tally) }
  }

  /// Connects and signs in.
  mutating func connect(_ connection: UInt64, as uid: String?) {
    let id = ConnectionID(rawValue: connection)
    perform(Command(connection: id, request: 1, action: .connect))
    perform(Command(connection: id, request: 1, action: .authenticate(Self.user(uid))))
  }

  /// Performs a request of a connection with its current identity.
  mutating func ask(_ connection: UInt64, _ action: Command.Action) {
    perform(Command(connection: ConnectionID(rawValue: connection), request: 1, action: action))
  }
}

extension Command.Action {
  static func set(_ path: String, _ json: String, hash: String? = nil) throws -> Command.Action {
    .write(
      WriteOperation(
        .put(Location(path: Path(path)), WriteValue(try TrialFixture.node(json))), expectedHash: hash))
  }

  static func update(_ path: String, _ parts: [(String, String)]) throws -> Command.Action {
    let writes = try parts.map { path, json in
      Write(location: Location(path: Path(path)), value: WriteValue(try TrialFixture.node(json)))
    }
    return .write(WriteOperation(.merge(Path(path), writes)))
  }
}
