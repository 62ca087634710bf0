import HearthRules
import HearthTree

/// A decider, on the owner node, of changes that other servers forward. It sends no events: the followers of the shared
/// log do.
///
/// Its state is ahead of the durable one. When one of its decisions does not become durable, it is replaced by another
/// decider that begins at the last durable state.
package struct ChangeDecider {
  /// The decision about a change.
  package struct Decided: Sendable {
    /// The records for the log, in the form of ``CommitRecord``, all at the position of the decision; empty when
    /// nothing changes. nil when the change is refused: it then has no effect, and the position can be used for the
    /// next one.
    package var content: [UInt8]?
    /// The answer.
    package var reply: Reply
    /// Refusals with their reasons, for the operator's log.
    package var denials: [Denial] = []
    /// The commits that changed data; empty unless ``ChangeDecider/observeCommits(_:)`` was called.
    package var changes: [CommittedChange] = []
    /// The comparison to make in the background before the change can be decided by
    /// ``ChangeDecider/settle(_:_:at:_:isLast:)``; `nil` when it is decided.
    package var comparison: LargeComparison?
  }

  private var engine: Engine
  /// True when neither rules nor sessions have changed since the last call of ``data(at:)``.
  private var onlyWrote = false

  /// Creates a decider.
  ///
  /// - Parameter state: The state after the whole log. Its sessions continue.
  package init(state: DatabaseState, limits: EngineLimits = EngineLimits()) {
    var limits = limits
    limits.recordsMerges = true
    engine = Engine(state: state, limits: limits, as: .deciding)
  }

  /// The state after all decisions.
  package var state: DatabaseState { engine.state }

  /// Returns the data at a position; nil when the decider is at another position, or when rules or sessions have
  /// changed since the last call.
  package mutating func data(at position: Int64) -> Node? {
    guard engine.state.position == position else { return nil }
    defer { onlyWrote = true }
    return onlyWrote ? engine.state.root : nil
  }

  /// Sets the recipient of changes: see ``Engine/observeCommits(_:)``.
  package mutating func observeCommits(_ observer: CommitObserver?) { engine.observeCommits(observer) }

  /// Decides a change.
  ///
  /// The answer contains the written values when the change requests them, and otherwise no data: it is ``Reply/ok``,
  /// or ``Reply/stale(_:)`` without a value.
  ///
  /// - Parameters:
  /// - session: The session of the connection that makes the request.
  /// - position: The log's next position.
  /// - instant: The time, as for ``Engine/decide(_:at:settingAside:)``.
  package mutating func decide(
    _ change: ForwardedChange, of session: UInt64, at position: Int64, _ instant: Instant
  ) -> Decided {
    let id = ConnectionID(rawValue: session)
    if case .write = change.action {} else { onlyWrote = false }
    switch change.action {
    case .write(let operation):
      return decide(.write(operation), of: id, change, at: position, instant).reduced(of: operation, in: change)
    case .onDisconnect(let write): return decide(.onDisconnect(write), ofSession: id, change, at: position, instant)
    case .cancelOnDisconnect(let location):
      return decide(.cancelOnDisconnect(location), ofSession: id, change, at: position, instant)
    case .authenticate: return decide(.authenticate(change.principal), ofSession: id, change, at: position, instant)
    case .deployRules(let source):
      do throws(RulesError) {
        // The rules are compiled only when the principal is an administrator: no one else may deploy.
        let rules = change.principal.isAdministrator ? try RuleSet.compile(source) : engine.state.rules
        return decide(.deployRules(rules), of: id, change, at: position, instant)
      } catch {
        return Decided(content: nil, reply: .failure(Failure(.invalidData, error.uploadErrorText)))
      }
    case .barrier:
      engine.state.position = position
      return Decided(content: [], reply: .ok)
    }
  }

  /// Decides a compared write after its comparison was made.
  ///
  /// - Parameters: The same as for ``Engine/settle(_:at:isLast:)``, and for ``decide(_:of:at:_:)``.
  package mutating func settle(
    _ result: ComparisonResult, _ change: ForwardedChange, at position: Int64, _ instant: Instant, isLast: Bool
  ) -> Decided {
    engine.state.position = position - 1
    let decided = decided(engine.settle(result, at: instant, isLast: isLast), at: position)
    guard case .write(let operation) = change.action else { return decided }
    return decided.reduced(of: operation, in: change)
  }

  /// Computes a transaction on the newest state, as an administrator's.
  ///
  /// - Parameters: The same as for ``decide(_:of:at:_:)``.
  package mutating func transact(
    _ transaction: Transaction, of session: UInt64 = 0, at position: Int64, _ instant: Instant
  ) -> Decided {
    let command = Command(
      connection: ConnectionID(rawValue: session), request: 0, principal: .administrator, action: .transact(transaction)
    )
    return decide(command, at: position, instant)
  }

  /// Executes the on-disconnect writes of a session, without those that the rules no longer allow.
  ///
  /// - Returns: The same parts as a decision; there are no records for a session without on-disconnect writes.
  package mutating func end(
    _ session: UInt64, at position: Int64, _ instant: Instant
  ) -> (content: [UInt8], denials: [Denial], changes: [CommittedChange]) {
    let id = ConnectionID(rawValue: session)
    engine.state.position = position - 1
    engine.advance(to: instant)
    if let session = engine.state.sessions.session(of: id) {
      onlyWrote = false
      engine.onDisconnects.forget(id)
      OnDisconnectHandler.end(session, in: &engine)
    }
    let batch = engine.takeBatch(from: position)
    engine.state.position = position
    return (batch.payload, batch.effects.compactMap(\.denial), batch.changes)
  }

  /// Decides a change that needs no connection.
  private mutating func decide(
    _ action: Command.Action, of id: ConnectionID, _ change: ForwardedChange, at position: Int64, _ instant: Instant
  ) -> Decided {
    let command = Command(
      connection: id, request: 0, principal: change.principal, address: change.address, action: action)
    return decide(command, at: position, instant)
  }

  /// Decides a change of a session's on-disconnect writes. Its connection is known to the engine during the decision.
  private mutating func decide(
    _ action: Command.Action, ofSession id: ConnectionID, _ change: ForwardedChange, at position: Int64,
    _ instant: Instant
  ) -> Decided {
    let connection = Connection(id: id, address: change.address)
    connection.principal = change.principal
    engine.connections.insert(connection)
    defer { _ = engine.connections.remove(id) }
    var decided = decide(Command(connection: id, request: 0, action: action), at: position, instant)
    // The on-disconnect writes of a session use the identity of its last request, even when no request to change the
    // identity came before.
    if decided.content != nil, !engine.state.sessions.matches(id, change.principal) {
      OnDisconnectHandler.noteIdentity(of: connection, in: &engine)
      decided.content? += engine.takeBatch(from: position).payload
    }
    return decided
  }

  private mutating func decide(_ command: Command, at position: Int64, _ instant: Instant) -> Decided {
    engine.state.position = position - 1
    return decided(engine.decide([command], at: instant, settingAside: true), at: position)
  }

  private mutating func decided(_ batch: Batch, at position: Int64) -> Decided {
    var decided = Decided(content: nil, reply: .ok, denials: batch.effects.compactMap(\.denial), changes: batch.changes)
    decided.comparison = batch.comparison
    for case .reply(_, _, let reply) in batch.effects { decided.reply = reply }
    if decided.comparison == nil, decided.reply.isDone {
      decided.content = batch.payload
      engine.state.position = position
    }
    return decided
  }
}

extension Effect {
  fileprivate var denial: Denial? { if case .denied(let denial) = self { denial } else { nil } }
}

extension ChangeDecider.Decided {
  /// Returns the decision with its answer in the form for another server.
  fileprivate func reduced(of operation: WriteOperation, in change: ForwardedChange) -> Self {
    var decided = self
    decided.reply = reply.reduced(of: operation, showsResult: change.showsResult)
    return decided
  }
}

extension Reply {
  /// Returns the answer to a write as it is sent to another server.
  fileprivate func reduced(of operation: WriteOperation, showsResult: Bool) -> Reply {
    switch self {
    case .stale: .stale(.empty)
    case .written(let node): showsResult ? .written(operation.written(in: node)) : .ok
    case .ok, .listening, .result, .value, .failure: self
    }
  }
}

extension WriteOperation {
  /// Returns the parts of the node at ``path`` that the write named. A priority whose value is not among them gets a
  /// placeholder value.
  fileprivate func written(in node: Node) -> Node {
    let writes: [Write]
    switch change {
    case .put(let location, _):
      let isBare = location.isPriority && shownPaths.isEmpty
      return isBare ? Node(.bool(true), priority: node.priority) : node
    case .merge(_, let parts): writes = parts
    }
    var result = writes.reduce(Node.empty) { result, write in
      let path = write.location.path
      return write.location.isPriority ? result : result.replacing(path, with: node[path])
    }
    for write in writes where write.location.isPriority {
      let path = write.location.path
      let place = result[path].isEmpty ? Node(.bool(true)) : result[path]
      result = result.replacing(path, with: place.with(priority: node[path].priority))
    }
    return result
  }
}
