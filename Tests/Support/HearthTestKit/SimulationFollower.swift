import HearthEngine
import HearthTree

/// Another server with the same connections and no decisions of its own: it receives the records of the
/// ``Simulation``'s engine, and must reach the same state and send its listeners the same events.
struct SimulationFollower {
  private var engine: Engine

  init(state: DatabaseState, limits: EngineLimits) { engine = Engine(following: state, limits: limits) }

  /// Follows one step of the simulation.
  mutating func check(_ command: Command, _ batch: Batch, at now: Instant) throws {
    var lines: [String] = []
    func note(_ batch: Batch) { lines += batch.effects.flatMap { $0.followedLines() } }
    // A disconnect precedes its commits; a change of identity follows its record.
    if case .disconnect = command.action { note(engine.decide([command], at: now)) }
    note(try follow(batch, at: now))
    switch command.action {
    case .disconnect, .write, .transact, .onDisconnect, .cancelOnDisconnect, .deployRules: break
    default: note(engine.decide([command], at: now))
    }
    let expected = batch.effects.flatMap { $0.followedLines() }
    guard lines == expected else {
      throw SimulationChecker.Violation(
        description: "a server that follows tells\n\(lines)\ninstead of\n\(expected)")
    }
    try require(batch.state)
  }

  /// Follows a restart of the other engine: all connections have ended.
  mutating func checkStart(from found: DatabaseState, _ batches: [Batch], limits: EngineLimits, at now: Instant) throws
  {
    engine = Engine(following: found, limits: limits)
    for batch in batches {
      guard try follow(batch, at: now).effects.isEmpty else {
        throw SimulationChecker.Violation(description: "a server that follows a start tells something")
      }
      try require(batch.state)
    }
  }

  private mutating func follow(_ batch: Batch, at now: Instant) throws -> Batch {
    guard batch.hasCommits else {
      return engine.decide([Command(connection: ConnectionID(rawValue: 0), action: .tick)], at: now)
    }
    let followed = try engine.follow(
      batch.payload, firstPosition: batch.firstPosition, lastPosition: batch.state.position, at: now)
    guard !followed.hasCommits else {
      throw SimulationChecker.Violation(description: "a server that follows makes a commit")
    }
    return followed
  }

  private func require(_ state: DatabaseState) throws {
    let own = engine.state
    let isSame =
      own.position == state.position && own.root == state.root && own.root.json(.export) == state.root.json(.export)
      && own.sessions.tree == state.sessions.tree && own.storedRules == state.storedRules
    guard isSame else { throw SimulationChecker.Violation(description: "a server that follows has another state") }
  }
}

extension Effect {
  /// The messages to connections and the receipts, one line each, without answers and refusals, which a follower does
  /// not send.
  ///
  /// - Parameter showsPositions: False to leave out positions, so that two logs with the same content have the same
  ///   lines.
  func followedLines(showsPositions: Bool = true) -> [String] {
    switch self {
    case .event(let event, _), .queryEvent(let event, _):
      return scenarioLines().map { showsPositions ? "\($0) at \(event.position)" : $0 }
    case .authenticationEnded: return scenarioLines()
    case .reply, .denied: return []
    case .redecided(let redecision): return redecision.followedLines(showsPositions)
    }
  }
}

extension Redecision {
  /// The evaluation and its cancellations, one line each; positions, also those of causes, are omitted unless shown.
  fileprivate func followedLines(_ showsPositions: Bool) -> [String] {
    var cause = "\(cause)"
    switch self.cause {
    case .data where !showsPositions: cause = "data"
    case .rules where !showsPositions: cause = "rules"
    default: break
    }
    let who = [connection?.rawValue, revocation].map { $0.map(String.init) ?? "-" }
    let head = "\(cause) \(who[0]) \(who[1]) \(examinedCount)"
    return [head] + cancelled.map { "\($0.name) \($0.uid ?? "-")" + (showsPositions ? " \($0.lastPosition)" : "") }
  }
}
