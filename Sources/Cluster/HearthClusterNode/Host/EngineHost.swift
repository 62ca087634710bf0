import HearthBytes
import HearthCluster
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthTree
import Synchronization

/// The part of a database on a node that uses the engine: a ``Database`` that follows the log and, while the node is
/// the owner, a decider that makes records for the log.
///
/// The decider works on the tip of the log, durable or not. Clients see the following database, which receives rows
/// once they are durable. When an owner loses its role, its decider is therefore simply discarded: no client has seen
/// its undurable decisions.
struct EngineHost: DatabaseHost {
  /// A notice for the operator.
  enum Notice: Sendable {
    /// The node became the owner, under that epoch.
    case began(epoch: Int64)
    /// The node is no longer the owner.
    case ended
    /// The store has no space (false), or has space again (true).
    case room(Bool)
    /// The store lost acknowledged rows.
    case dataLost(DataLoss)
    /// The log holds records that this program does not know.
    case unreadable(MalformedBytes)
  }

  private let database: Database
  private let limits: EngineLimits
  private let connection: MemberConnection
  private let dependencies: Dependencies
  private let decider = LockedDecider()
  private let comparisons = OwnerComparisons()
  private(set) var isOwner = false
  /// The heads after the rows in flight, with the data after each.
  private var sealed: [(head: JournalHead, root: Node)] = []

  /// The dependencies of a host on its node.
  struct Dependencies: Sendable {
    var clock: @Sendable () -> Instant
    /// Records the known owner of the database.
    var owner: KnownOwner
    /// Logs the writes that this node refused as the owner.
    var denied: @Sendable ([Denial]) -> Void
    var notice: @Sendable (Notice) -> Void
    /// Called when this node becomes or stops being the owner.
    var ownershipChanged: @Sendable (Bool) -> Void
    /// The state from which the database starts over when the log was replaced by a different one.
    var first: ReplicationStart
    /// Starts loading the newest snapshot, because rows that are missing here were pruned.
    var reload: @Sendable () -> Void
    /// The loaded snapshot.
    var loaded: LoadedSnapshot
  }

  init(_ database: Database, limits: EngineLimits, connection: MemberConnection, _ dependencies: Dependencies) {
    (self.database, self.limits, self.connection, self.dependencies) = (database, limits, connection, dependencies)
  }

  // MARK: The owner's decisions

  mutating func began(at position: Int64) {
    isOwner = true
    discardDecisions()
  }

  /// Discards the decisions that are not in the log.
  private mutating func discardDecisions() {
    decider.forget()
    comparisons.forgetAll()
    sealed = []
  }

  /// Calls the decider. The first call creates it from the state of the database, which had received all earlier rows
  /// when this node became the owner.
  ///
  /// - Parameter body: Calls the decider, and returns its result with the changes from which outbox entries are
  ///   derived.
  private func withDecider<Value: Sendable>(
    _ body: @Sendable (inout ChangeDecider) -> (Value, changes: [CommittedChange])
  ) -> (Value, entries: [OutboxEntry]) {
    let outbox = database.follower?.outbox
    return decider.with(
      { [database, limits] in ChangeDecider(state: database.follower?.state ?? database.published, limits: limits) },
      { decider in
        decider.observeCommits(outbox?.commitObserver)
        let (value, changes) = body(&decider)
        return (value, outbox?.entries(of: changes) ?? [])
      })
  }

  mutating func decide(_ request: ForwardedRequest, at position: Int64) -> HearthCluster.RequestDecision {
    guard case .write(let content) = request.kind, let asked = DecodedRequest(content) else {
      return .refuse(reply: [])
    }
    let session = request.origin.session.rawValue
    let comparisonKey = OwnerComparisons.Key(request.origin)
    let comparison = comparisons.state(of: comparisonKey)
    if case .running = comparison { return .later }
    let (decided, entries) = withDecider { [dependencies] decider in
      let now = dependencies.clock()
      let decided =
        switch (asked, comparison) {
        case (.change(let change), .made(let result, let isLast)):
          decider.settle(result, change, at: position, now, isLast: isLast)
        case (.change(let change), _): decider.decide(change, of: session, at: position, now)
        case (.transaction(let transaction), _): decider.transact(transaction, of: session, at: position, now)
        }
      return (decided, decided.changes)
    }
    if let comparison = decided.comparison {
      comparisons.begin(comparison, for: comparisonKey) { [connection] in
        connection.workIsDone(for: comparisonKey.session)
      }
      return .later
    }
    if comparison != nil { comparisons.forget(comparisonKey) }
    if !decided.denials.isEmpty { dependencies.denied(decided.denials) }
    let reply = InProcessReply.body(of: decided.reply)
    guard let content = decided.content else { return .refuse(reply: reply) }
    return .commit(content: content, reply: reply, entries: entries)
  }

  var noRoom: ForwardedBody { InProcessReply.body(of: .failure(.noSpace)) }

  /// Returns no bytes, because the client's node reads the data itself once it has applied all rows up to the position.
  mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8] { [] }

  mutating func disconnect(_ session: SessionID, at position: Int64) -> (content: [UInt8], entries: [OutboxEntry]) {
    comparisons.forget(session)
    let (ended, entries) = withDecider { [dependencies] decider in
      let ended = decider.end(session.rawValue, at: position, dependencies.clock())
      return (ended, ended.changes)
    }
    if !ended.denials.isEmpty { dependencies.denied(ended.denials) }
    return (ended.content, entries)
  }

  /// Starts writing a snapshot of the state after all rows that the database has received.
  ///
  /// - Parameter table: The sessions at that state.
  func writeSnapshot(with table: SessionTable) {
    if isOwner { database.follower?.take(.snapshot(members: table.encoded)) }
  }

  mutating func sealed(_ row: LogRow) {
    let root = decider.ifPresent { $0.data(at: row.batch.lastPosition) }
    if let root { sealed.append((row.head, root)) }
  }

  /// Returns the data after a row that this node decided; nil for other rows.
  private mutating func data(behind head: JournalHead) -> Node? {
    sealed.removeAll { $0.head.position < head.position }
    return sealed.first?.head == head ? sealed.removeFirst().root : nil
  }

  // MARK: Actions of the member

  mutating func take(_ action: MemberAction) {
    switch action {
    case .apply(let row, _):
      database.follower?.take(
        .commits(
          firstPosition: row.batch.firstPosition, lastPosition: row.batch.lastPosition, payload: row.batch.payload,
          isOwn: isOwner, root: data(behind: row.head)))
    case .acknowledge(_, let ticket, let outcome):
      connection.discardTransaction(ticket)
      database.follower?.take(.answered(ticket: ticket, OwnerResponse(outcome)))
    case .closeClient(let session): database.follower?.take(.sessionEnded(session.rawValue))
    case .closeSockets: database.follower?.take(.serving(false))
    case .openSockets: database.follower?.take(.serving(true))
    case .room(let isThere):
      dependencies.notice(.room(isThere))
      database.follower?.setRoom(isThere)
    case .stored(let entries): database.follower?.outbox.stored(entries)
    case .began(let epoch):
      dependencies.notice(.began(epoch: epoch))
      dependencies.ownershipChanged(true)
    case .rollBack:
      isOwner = false
      discardDecisions()
      dependencies.notice(.ended)
      dependencies.ownershipChanged(false)
    case .reset: database.follower?.take(.replaced(dependencies.first))
    case .pruned: dependencies.reload()
    case .restored(let head):
      if let start = dependencies.loaded.take(at: head) { database.follower?.take(.replaced(start)) }
    case .dataLost(let loss): dependencies.notice(.dataLost(loss))
    case .unreadable(let finding): dependencies.notice(.unreadable(finding))
    // The driver performs these actions itself, and the node reads the status from the member.
    case .ask, .send: break
    case .ownerSeen(let node): dependencies.owner.set(node?.name)
    }
  }
}

/// The content of a request for the decider.
private enum DecodedRequest {
  case change(ForwardedChange)
  case transaction(Transaction)

  /// Decodes the content of a write request; nil for a transaction that has run or belongs to another process, which
  /// reports its outcome itself, and for unreadable bytes.
  init?(_ content: ForwardedBody) {
    switch content {
    case .value(let value as InProcessChange): self = .change(value.change)
    case .value(let value as InProcessTransaction):
      guard let transaction = value.take() else { return nil }
      self = .transaction(transaction)
    case .value(let value):
      self.init(.encoded(value.encoded))
    case .encoded(let bytes):
      guard !InProcessTransaction.canDecode(bytes), let change = try? ForwardedChange(encoded: bytes) else {
        return nil
      }
      self = .change(change)
    }
  }
}

extension OwnerResponse {
  init(_ outcome: RequestOutcome) {
    switch outcome {
    case .applied(_, let reply): self = .made(InProcessReply.reply(in: reply))
    case .refused(_, let reply): self = .refused(InProcessReply.reply(in: reply))
    case .value: self = .newest
    case .noSession, .notOwner, .overloaded: self = .refused(nil)
    }
  }
}

/// The decider on the tip of the log; absent while this node is not the owner.
private final class LockedDecider: Sendable {
  private let held = Mutex<ChangeDecider?>(nil)

  func forget() { held.withLock { $0 = nil } }

  /// Calls the body with the decider, if there is one.
  func ifPresent<Value: Sendable>(_ body: @Sendable (inout ChangeDecider) -> Value?) -> Value? {
    held.withLock { held in
      if held == nil { nil } else { body(&held!) }
    }
  }

  /// - Parameter make: Creates the decider when there is none.
  func with<Value: Sendable>(
    _ make: @Sendable () -> sending ChangeDecider, _ body: @Sendable (inout ChangeDecider) -> Value
  ) -> Value {
    held.withLock { held in
      if held == nil { held = make() }
      // Changes the decider in place, because copying it is expensive.
      return body(&held!)
    }
  }
}
