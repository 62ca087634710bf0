import HearthRules
import HearthTree

/// The follower of a log: an engine that applies the commits of another one, and sends events to its own connections.
enum LogFollower {
  /// Applies commits: see ``Engine/follow(_:firstPosition:lastPosition:leadingTo:at:)``.
  static func follow(
    _ payload: [UInt8], firstPosition: Int64, lastPosition: Int64, leadingTo root: Node?, at instant: Instant,
    in engine: inout Engine
  ) throws(RecordError) -> Batch {
    let (start, hasNoListeners) = (
      engine.state.position + 1,
      engine.listens.isIdle && engine.grants.isEmpty && engine.decisionRecorder == nil && !engine.locationRecorder.isOn
    )
    if let root, hasNoListeners, firstPosition == start, !engine.pieces.isOpen {
      engine.advance(to: instant)
      (engine.state.root, engine.state.position) = (root, lastPosition)
      return engine.takeBatch(from: start)
    }
    var log = engine.pieces
    let records = try log.records(payload, firstPosition, lastPosition, after: engine.state.position)
    engine.pieces = log
    engine.advance(to: instant)
    var run = CoalescedChanges(isCoalescing: hasNoListeners)
    for (position, record) in records {
      engine.state.position = position
      for part in record.parts where !run.add(part) {
        engine.meter.beginCommand()
        run.apply(to: &engine.state.root)
        follow(part, in: &engine)
      }
    }
    run.apply(to: &engine.state.root)
    engine.state.hasOpenPieces = engine.pieces.isOpen
    RedecisionHandler.continueAll(in: &engine)
    return engine.takeBatch(from: start)
  }

  private static func follow(_ record: CommitRecord, in engine: inout Engine) {
    switch record.content {
    case .changes(let changes):
      guard let commit = Commit(changes, record.mergeDepth, at: engine.state.position, on: engine.state.root) else {
        return
      }
      engine.state.root = commit.newRoot
      engine.decisionRecorder?.noteChange(commit)
      CommitDelivery.announce(commit, in: &engine)
    case .rules(let source):
      let rules = try? RuleSet.recompile(source)
      // Without readable rules everything is denied: any other rules might allow too much.
      RulesDeployment.putInForce(rules ?? .denyAll, in: &engine)
      if rules == nil { engine.state.storedRules = source }
    case .sessions(let changes): engine.state.sessions.apply(changes)
    case .piece, .lastPiece, .note, .joint: break
    }
  }
}

extension Engine {
  /// Applies commits that another engine decided and that are durable already, one after another, as if this engine had
  /// decided them.
  ///
  /// - Parameters:
  /// - payload: The records of the positions from the first to the last. Positions that the state already includes are
  ///   skipped.
  /// - root: The data after them, if it is known and nothing else changed; used when no listener receives them.
  /// - instant: The time, as for ``decide(_:at:settingAside:)``.
  /// - Returns: A batch without records, whose effects may be released at once.
  /// - Throws: An error when the records do not follow the state, or cannot be decoded; the state is unchanged then.
  package mutating func follow(
    _ payload: [UInt8], firstPosition: Int64, lastPosition: Int64, leadingTo root: Node? = nil, at instant: Instant
  ) throws(RecordError) -> Batch {
    try LogFollower.follow(
      payload, firstPosition: firstPosition, lastPosition: lastPosition, leadingTo: root, at: instant, in: &self)
  }
}
