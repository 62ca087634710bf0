import HearthRules
import HearthTree

/// An engine that follows the decisions of another one: it applies their commits and sends events to its own
/// connections.
extension Engine {
  /// Creates a following engine from a recovered state. It makes nothing durable: changes are refused as unavailable,
  /// and disconnects have no effect on data. Its connections listen, read, sign in and sign out as usual.
  package init(following state: Published, limits: EngineLimits = EngineLimits()) {
    self.init(state: state, limits: limits, as: .following)
  }

  /// Follows commits that are durable already, one after another, as if they were decided here and now.
  ///
  /// - Parameters:
  ///   - payload: The records of the positions from the first to the last. Positions that the state already includes
  ///     are skipped.
  ///   - root: The data after them, if it is known and nothing else changed; used when no listener receives them.
  ///   - instant: The time, as for ``decide(_:at:settingAside:)``.
  /// - Returns: A batch without records, whose effects may be released at once.
  /// - Throws: An error when the records do not follow the state, or cannot be decoded; the state is unchanged then.
  package mutating func follow(
    _ payload: [UInt8], firstPosition: Int64, lastPosition: Int64, leadingTo root: Node? = nil, at instant: Instant
  ) throws(RecordError) -> Batch {
    let (start, isUnheard) = (state.position + 1, listens.isIdle && grants.isEmpty && tap == nil && !placeTap.isOn)
    if let root, isUnheard, firstPosition == start, !pieces.isOpen {
      pass(to: instant)
      (state.root, state.position) = (root, lastPosition)
      return takeBatch(from: start)
    }
    var log = pieces
    let records = try log.records(payload, firstPosition, lastPosition, after: state.position)
    pieces = log
    pass(to: instant)
    var run = ChangeRun(isTaking: isUnheard)
    for (position, record) in records {
      state.position = position
      for part in record.parts where !run.takes(part) {
        meter.beginCommand()
        run.make(in: &state.root)
        follow(part)
      }
    }
    run.make(in: &state.root)
    state.hasOpenPieces = pieces.isOpen
    continueRedecisions()
    return takeBatch(from: start)
  }

  private mutating func follow(_ record: CommitRecord) {
    switch record.content {
    case .changes(let changes):
      guard let commit = Commit(changes, record.mergeDepth, at: state.position, on: state.root) else { return }
      state.root = commit.newRoot
      tap?.noteChange(commit)
      announce(commit)
    case .rules(let source):
      let rules = try? RuleSet.recompile(source)
      // Any other rules might allow too much.
      putInForce(rules ?? .denyAll)
      if rules == nil { state.storedRules = source }
    case .sessions(let changes): state.sessions.apply(changes)
    case .piece, .joined, .note, .joint: break
    }
  }
}
