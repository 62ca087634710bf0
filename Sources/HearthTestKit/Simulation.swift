import HearthEngine
import HearthRules
import HearthTree

/// One step of a ``Simulation``: a command, and the meaning of the rules that it deploys, if it does.
struct SimulationStep {
  var command: Command
  var rules: SimulationRules?
}

/// A seeded life of one database: people come and go, sign in and out, join rooms and are removed, rules change,
/// credentials end, time passes, everybody writes. A ``SimulationChecker`` watches every step.
public struct Simulation {
  /// What one run saw.
  public struct Summary: Sendable {
    public var stepCount = 0
    public var commitCount: Int64 = 0
    public var eventCount = 0
    public var cancelCount = 0
  }

  private static let clientCount = 6
  private static let uids = ["u0", "u1", "u2", "u3"]

  private var random: SimulationRandom
  private var engine: Engine
  /// Decides in one batch what the engine decided one by one while the clocks stood still.
  private var twin: Engine
  private var waiting: (commands: [Command], effects: [String]) = ([], [])
  private var checker: SimulationChecker
  private let policies: [SimulationPolicy]
  private var now = Instant(wallMilliseconds: 1_000_000, monotonicMilliseconds: 0)

  /// - Parameters:
  ///   - policies: The kinds of rules that occur.
  ///   - ignored: What the engine's dependency index leaves out; nothing but for a test of this simulation.
  public init(
    seed: UInt64, policies: [SimulationPolicy] = SimulationPolicy.allCases,
    ignoring ignored: ReadDependencies.Aspects = []
  ) throws {
    random = SimulationRandom(seed: seed)
    self.policies = policies
    let rules = SimulationRules(policies, &random)
    let limits = EngineLimits()
    let state = Published(root: .empty, rules: try RuleSet.compile(rules.source), position: 0)
    engine = Engine(state: state, limits: limits, ignoring: ignored)
    twin = Engine(state: state, limits: limits, ignoring: ignored)
    checker = SimulationChecker(rules: rules, position: 0, limits: limits)
  }

  /// Does as many steps.
  ///
  /// - Throws: An error that tells what promise was broken at which step.
  public mutating func run(stepCount: Int) throws -> Summary {
    for number in 0..<stepCount {
      if random.oneIn(3) {
        try followTogether(step: number)
        pass(milliseconds: random.below(400))
      }
      let step = try nextStep()
      let batch = engine.decide([step.command], at: now)
      let effects = batch.effects.map(\.scenarioText)
      waiting.commands.append(step.command)
      waiting.effects += effects
      do {
        try checker.check(step, batch, at: now)
      } catch {
        throw Failure(step: number, text: "\(error)\nafter \(step.command)\neffects \(effects)")
      }
    }
    return Summary(
      stepCount: stepCount, commitCount: engine.state.position, eventCount: checker.eventCount,
      cancelCount: checker.cancelCount)
  }

  public struct Failure: Error, CustomStringConvertible {
    public var step: Int
    public var text: String
    public var description: String { "step \(step): \(text)" }
  }

  private mutating func pass(milliseconds: Int) {
    // Now and then somebody sets the wall clock back.
    now.wallMilliseconds += random.oneIn(30) ? -2_000 : Int64(milliseconds)
    now.monotonicMilliseconds += Int64(milliseconds)
  }

  /// What was decided one by one since the clocks last moved means the same as one batch.
  private mutating func followTogether(step: Int) throws {
    var (rest, effects) = (waiting.commands[...], [String]())
    while !rest.isEmpty {
      let batch = twin.decide(rest, at: now)
      effects += batch.effects.map(\.scenarioText)
      rest = rest.dropFirst(batch.commandCount)
    }
    guard effects == waiting.effects, twin.state.root == engine.state.root else {
      throw Failure(step: step, text: "as one batch the last steps have the effects\n\(effects)\n\(waiting.effects)")
    }
    waiting = ([], [])
  }

  // MARK: What happens next

  private mutating func nextStep() throws -> SimulationStep {
    let connection = ConnectionID(rawValue: UInt64(1 + random.below(Self.clientCount)))
    func command(_ action: Command.Action) -> SimulationStep {
      SimulationStep(command: Command(connection: connection, request: 1, action: action))
    }
    switch random.below(100) {
    case 0..<6: return command(.connect)
    case 6..<8: return command(.disconnect)
    case 8..<18: return command(.authenticate(person()))
    case 18..<20: return command(.unauthenticate)
    case 20..<42: return command(.listen(readPath(), hash: random.oneIn(3) ? someHash() : ""))
    case 42..<45: return command(.unlisten(readPath()))
    case 45: return command(.tick)
    case 46: return command(.endCredential)
    case 47..<49: return try deploy(connection)
    case 49..<58: return SimulationStep(command: write(connection, as: person(), chat()))
    default: return SimulationStep(command: write(connection, as: .administrator, administration()))
    }
  }

  private mutating func person() -> Identity {
    if random.oneIn(12) { return Identity(auth: nil, isAdministrator: true, deadlineMonotonicMilliseconds: deadline()) }
    let claims: [JSON.Member] = [
      JSON.Member("uid", .string(random.pick(Self.uids))),
      JSON.Member("token", .object([JSON.Member("level", .int(Int64(random.below(4))))])),
    ]
    return Identity(auth: .object(claims), deadlineMonotonicMilliseconds: deadline())
  }

  private mutating func deadline() -> Int64? {
    random.oneIn(2) ? now.monotonicMilliseconds + Int64(random.below(4_000)) : nil
  }

  private mutating func deploy(_ connection: ConnectionID) throws -> SimulationStep {
    let rules = SimulationRules(policies, &random)
    let set = try RuleSet.compile(rules.source)
    return SimulationStep(
      command: Command(connection: connection, request: 1, identity: .administrator, action: .deployRules(set)),
      rules: rules)
  }

  private func write(
    _ connection: ConnectionID, as identity: Identity, _ change: WriteOperation.Change
  ) -> Command {
    // A one-off identity: what the connection itself is has nothing to do with it.
    let person = Identity(auth: identity.auth, isAdministrator: identity.isAdministrator)
    return Command(connection: connection, request: 1, identity: person, action: .write(WriteOperation(change)))
  }

  private mutating func room() -> String { "r\(random.below(SimulationRules.roomCount))" }

  private mutating func readPath() -> Path {
    switch random.below(10) {
    case 0: .root
    case 1: Path("rooms/\(room())/notes/n\(random.below(3))")
    case 2, 3: Path("rooms/\(room())/notes")
    case 4: Path("rooms/\(room())/m\(random.below(3))")
    case 5: Path("banned")
    default: Path("rooms/\(room())")
    }
  }

  private mutating func someHash() -> String { engine.state.root[readPath()].simpleHash() }

  /// What people write: messages and notes.
  private mutating func chat() -> WriteOperation.Change {
    let base = "rooms/\(room())"
    let place = random.pick(["\(base)/m\(random.below(3))", "\(base)/notes/n\(random.below(3))", "\(base)/notes", base])
    if random.oneIn(3) { return merge(base, ["m0", "notes/n0", "notes/n1", "open", "m1/deep", ".priority"]) }
    return put(place)
  }

  /// What changes who may read: members, bans, levels, time limits; and the tree at large.
  private mutating func administration() -> WriteOperation.Change {
    let (room, uid) = (room(), random.pick(Self.uids))
    switch random.below(14) {
    case 0..<4: return put("members/\(room)/\(uid)")
    case 4: return put("members/\(room)")
    case 5: return put("members/\(room)/.priority")
    case 6: return merge("members", ["\(room)/u0", "\(room)/u1", "r0/u2", "r1", "\(room)/.priority"])
    case 7: return put("banned/\(uid)")
    case 8: return .put(Location(path: Path("levels/\(room)")), WriteValue(Node(.int(Int64(random.below(4))))))
    case 9:
      let until = now.wallMilliseconds + Int64(random.below(2_000)) - 200
      return .put(Location(path: Path("until/\(room)")), WriteValue(Node(.int(until))))
    case 10:
      let gone = WriteOperation.Change.put(Location(path: Path("admins/\(uid)")), WriteValue(.empty))
      return random.oneIn(3) ? put("admins/\(uid)") : gone
    case 11: return put("rooms/\(room)/open")
    case 12: return merge("", ["members/\(room)/\(uid)", "rooms/\(room)/m1", "banned/\(uid)"])
    default:
      let large = random.pick(["", "rooms", "members", "levels", "until"])
      return put(random.oneIn(4) ? large : "rooms/\(room)")
    }
  }

  private mutating func put(_ path: String) -> WriteOperation.Change {
    let location = Self.location(path)
    return .put(location, WriteValue(value(at: location, depth: 2)))
  }

  private mutating func merge(_ path: String, _ places: [String]) -> WriteOperation.Change {
    var writes: [Write] = []
    for place in places where random.oneIn(2) {
      let location = Self.location(place)
      let isFree = writes.allSatisfy { !$0.location.isWithin(location) && !location.isWithin($0.location) }
      if isFree { writes.append(Write(location: location, value: WriteValue(value(at: location, depth: 1)))) }
    }
    return .merge(Path(path), writes)
  }

  private static func location(_ place: String) -> Location {
    let isPriority = place.hasSuffix(".priority")
    return Location(path: Path(isPriority ? String(place.dropLast(9)) : place), isPriority: isPriority)
  }

  private mutating func value(at location: Location, depth: Int) -> Node {
    location.isPriority ? Node(.string(random.pick(["open", "shut"]))) : value(depth: depth)
  }

  /// A small value; often true, often nothing.
  private mutating func value(depth: Int) -> Node {
    let priority: Scalar? = random.oneIn(6) ? .string(random.pick(["open", "shut"])) : nil
    switch random.below(depth > 0 ? 8 : 6) {
    case 0, 1: return Node(.bool(true), priority: priority)
    case 2: return Node(.int(Int64(random.below(3))), priority: priority)
    case 3: return Node(.string("text"), priority: priority)
    case 4, 5: return .empty
    default:
      var node = Node.empty
      for key in ["u0", "u1", "m0", "notes", "open", "r0"] where random.oneIn(2) {
        node = node.replacing(Path(key), with: value(depth: depth - 1))
      }
      return node.with(priority: priority)
    }
  }
}

extension Location {
  /// True when a write to `other` would also write this.
  fileprivate func isWithin(_ other: Location) -> Bool {
    other.isPriority ? self == other : other.path.contains(path)
  }
}
