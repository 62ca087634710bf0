import HearthRules
import HearthTree

/// An engine that follows what others decide: their commits go in, and its own connections are told of them.
extension Engine {
  /// An engine that makes nothing durable: whoever wants a change is told that it is unavailable, and nothing is done when
  /// a connection ends. Its connections listen, read, sign in and out as with any other.
  ///
  /// - Parameter state: Where following begins: what recovery found.
  package init(following state: Published, limits: EngineLimits = EngineLimits()) {
    self.init(state: state, limits: limits, as: .following)
  }

  /// Follows commits that are durable already, one after another, as if they were decided here and now.
  ///
  /// - Parameters:
  ///   - payload: Records of the positions from the first to the last. What the state has already is passed over.
  ///   - instant: As for ``decide(_:at:settingAside:)``.
  /// - Returns: A batch without records, whose effects may be released at once.
  /// - Throws: When they do not follow the state, or cannot be read; nothing has happened then.
  package mutating func follow(
    _ payload: [UInt8], firstPosition: Int64, lastPosition: Int64, at instant: Instant
  ) throws(RecordError) -> Batch {
    var log = pieces
    let records = try log.records(payload, firstPosition, lastPosition, after: state.position)
    pieces = log
    let start = state.position + 1
    pass(to: instant)
    if isUnwatched { takeOver(records) } else { for (position, record) in records { follow(record, at: position) } }
    state.hasOpenPieces = pieces.isOpen
    return takeBatch(from: start)
  }

  /// Nobody is told of commits one by one, and no permission depends on what changes.
  private var isUnwatched: Bool { listens.isIdle && grants.isEmpty && tap == nil }

  /// Follows commits of which only the end counts: what they change is changed together, which costs less.
  private mutating func takeOver(_ records: [(position: Int64, record: CommitRecord)]) {
    var waiting: [(path: Path, node: Node)] = []
    func change(_ root: inout Node) {
      if !waiting.isEmpty { root = root.replacing(waiting) }
      waiting = []
    }
    for (position, record) in records {
      for part in record.parts {
        if case .changes(let changes) = part.content, !changes.contains(where: \.location.isPriority) {
          waiting += changes.map { ($0.location.path, $0.node) }
        } else {
          change(&state.root)
          state.position = position
          follow(part)
        }
      }
      state.position = position
    }
    change(&state.root)
  }

  private mutating func follow(_ record: CommitRecord, at position: Int64) {
    state.position = position
    for part in record.parts { follow(part) }
  }

  /// Does what a record of the newest position says.
  private mutating func follow(_ record: CommitRecord) {
    switch record.content {
    case .changes(let changes):
      guard let commit = Commit(changes, record.mergeDepth, at: state.position, on: state.root) else { return }
      state.root = commit.newRoot
      tap?.noteChange(commit)
      announce(commit)
    case .rules(let source):
      do {
        putInForce(try RuleSet.compile(source))
      } catch {
        // Others might allow too much.
        putInForce(.denyAll)
        state.storedRules = source
      }
    case .sessions(let changes): state.sessions.apply(changes)
    case .piece, .joined, .note, .joint: break
    }
  }
}
