import HearthBytes
import HearthCluster
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthTree
import Synchronization

/// A real database on a node: it follows the log, and while the node owns it, decides what is to come into the log.
///
/// What is decided stands on the tip of the log, whether it is durable or not; what clients see is the database that
/// follows, which is told of rows when they are durable. So an owner that loses its place takes nothing back: the decider
/// is forgotten, and nobody was told.
struct EngineTenant: DatabaseTenant {
  /// Something for the operator.
  enum Notice: Sendable {
    /// This node owns the database, under that epoch.
    case began(epoch: Int64)
    /// It does no longer.
    case ended
    /// The store has no room for more rows, or has it again.
    case room(Bool)
    /// The store lost what it had acknowledged.
    case dataLost(DataLoss)
    /// The log holds what this program does not know.
    case unreadable(MalformedBytes)
  }

  private let database: Database
  private let limits: EngineLimits
  private let line: MemberLine
  private let around: TokenEnvironment
  private let decider = HeldDecider()
  private(set) var isOwner = false
  /// What the rows that are on their way lead to, as far as it is known.
  private var sealed: [(head: JournalHead, root: Node)] = []

  /// What a tenant needs of its node.
  struct TokenEnvironment: Sendable {
    var clock: @Sendable () -> Instant
    /// Is told who owns the database.
    var owner: KnownOwner
    /// Takes what this node refused as the owner, for the log.
    var denied: @Sendable ([Denial]) -> Void
    var notice: @Sendable (Notice) -> Void
    /// Is told whether this node is the owner.
    var ownershipChanged: @Sendable (Bool) -> Void
    /// The state that the database begins with when the log is another one.
    var first: FollowedStart
    /// Has the newest snapshot be read, since rows that are missing here are gone.
    var reload: @Sendable () -> Void
    /// What was read.
    var loaded: LoadedStart
  }

  init(_ database: Database, limits: EngineLimits, line: MemberLine, _ surroundings: TokenEnvironment) {
    (self.database, self.limits, self.line, around) = (database, limits, line, surroundings)
  }

  // MARK: The owner's part

  mutating func began(at position: Int64) {
    isOwner = true
    forgetDecided()
  }

  /// What was decided and is not in the log never was.
  private mutating func forgetDecided() {
    decider.forget()
    sealed = []
  }

  /// Has something decided. The first question makes what decides, out of the state that the rows before have led to: all
  /// of them were handed to the database when this node became the owner.
  ///
  /// - Parameter body: gives the changes, too, of which the outbox makes entries.
  private func deciding<Value: Sendable>(
    _ body: @Sendable (inout ChangeDecider) -> (Value, changes: [CommittedChange])
  ) -> (Value, entries: [OutboxEntry]) {
    let outbox = database.follower?.outbox
    return decider.with(
      { [database, limits] in ChangeDecider(state: database.follower?.state ?? database.published, limits: limits) },
      { decider in
        decider.tapChanges(outbox?.tap)
        let (value, changes) = body(&decider)
        return (value, outbox?.entries(of: changes) ?? [])
      })
  }

  mutating func decide(_ request: ForwardedRequest, at position: Int64) -> HearthCluster.Decided {
    guard case .write(let content) = request.kind, let asked = Asked(content) else { return .refuse(reply: []) }
    let session = request.origin.session.rawValue
    let (decided, entries) = deciding { [around] decider in
      let decided =
        switch asked {
        case .change(let change): decider.decide(change, of: session, at: position, around.clock())
        case .transaction(let transaction): decider.transact(transaction, of: session, at: position, around.clock())
        }
      return (decided, decided.changes)
    }
    if !decided.denials.isEmpty { around.denied(decided.denials) }
    let reply = PassedReply.body(of: decided.reply)
    guard let content = decided.content else { return .refuse(reply: reply) }
    return .commit(content: content, reply: reply, entries: entries)
  }

  var noRoom: ForwardedBody { PassedReply.body(of: .failure(.noSpace)) }

  /// A node reads for itself, once it has applied everything up to the position.
  mutating func read(_ query: [UInt8], of session: SessionID, at position: Int64) -> [UInt8] { [] }

  mutating func disconnect(_ session: SessionID, at position: Int64) -> (content: [UInt8], entries: [OutboxEntry]) {
    let (ended, entries) = deciding { [around] decider in
      let ended = decider.end(session.rawValue, at: position, around.clock())
      return (ended, ended.changes)
    }
    if !ended.denials.isEmpty { around.denied(ended.denials) }
    return (ended.content, entries)
  }

  /// Has a snapshot be written of the state that all rows led to which the database was handed.
  ///
  /// - Parameter table: the sessions at that state.
  func writeSnapshot(with table: SessionTable) {
    if isOwner { database.follower?.take(.snapshot(members: table.encoded)) }
  }

  mutating func sealed(_ row: LogRow) {
    let root = decider.ifThere { $0.data(at: row.batch.lastPosition) }
    if let root { sealed.append((row.head, root)) }
  }

  /// What a row leads to, when it is one of those that this node decided.
  private mutating func data(behind head: JournalHead) -> Node? {
    sealed.removeAll { $0.head.position < head.position }
    return sealed.first?.head == head ? sealed.removeFirst().root : nil
  }

  // MARK: What the member says

  mutating func take(_ action: MemberAction) {
    switch action {
    case .apply(let row, _):
      database.follower?.take(
        .commits(
          firstPosition: row.batch.firstPosition, lastPosition: row.batch.lastPosition, payload: row.batch.payload,
          isOwn: isOwner, root: data(behind: row.head)))
    case .acknowledge(_, let ticket, let outcome):
      line.settled(ticket)
      database.follower?.take(.answered(ticket: ticket, OwnerAnswer(outcome)))
    case .closeClient(let session): database.follower?.take(.sessionEnded(session.rawValue))
    case .closeSockets: database.follower?.take(.serving(false))
    case .openSockets: database.follower?.take(.serving(true))
    case .room(let isThere):
      around.notice(.room(isThere))
      database.follower?.setRoom(isThere)
    case .stored(let entries): database.follower?.outbox.stored(entries)
    case .began(let epoch):
      around.notice(.began(epoch: epoch))
      around.ownershipChanged(true)
    case .rollBack:
      isOwner = false
      forgetDecided()
      around.notice(.ended)
      around.ownershipChanged(false)
    case .reset: database.follower?.take(.replaced(around.first))
    case .pruned: around.reload()
    case .restored(let head): if let start = around.loaded.take(at: head) { database.follower?.take(.replaced(start)) }
    case .dataLost(let loss): around.notice(.dataLost(loss))
    case .unreadable(let finding): around.notice(.unreadable(finding))
    // Whoever drives the member asks the store and sends; status looks at the member itself.
    case .ask, .send: break
    case .ownerSeen(let node): around.owner.set(node?.name)
    }
  }
}

/// What a request asks to be decided.
private enum Asked {
  case change(ForwardedChange)
  case transaction(Transaction)

  /// Nil for a transaction that has run, or is of another process, which will tell whoever asked; and for what cannot be read.
  init?(_ content: ForwardedBody) {
    switch content {
    case .value(let value as PassedChange): self = .change(value.change)
    case .value(let value as PassedTransaction):
      guard let transaction = value.take() else { return nil }
      self = .transaction(transaction)
    case .value(let value):
      self.init(.encoded(value.encoded))
    case .encoded(let bytes):
      guard !PassedTransaction.isMeant(by: bytes), let change = try? ForwardedChange(encoded: bytes) else { return nil }
      self = .change(change)
    }
  }
}

extension OwnerAnswer {
  init(_ outcome: Outcome) {
    switch outcome {
    case .applied(_, let reply): self = .made(PassedReply.reply(in: reply))
    case .refused(_, let reply): self = .refused(PassedReply.reply(in: reply))
    case .value: self = .newest
    case .noSession, .notOwner, .overloaded: self = .refused(nil)
    }
  }
}

/// What decides on the tip of the log, while somebody does here.
private final class HeldDecider: Sendable {
  private let held = Mutex<ChangeDecider?>(nil)

  func forget() { held.withLock { $0 = nil } }

  /// Asks it something, if there is one.
  func ifThere<Value: Sendable>(_ body: @Sendable (inout ChangeDecider) -> Value?) -> Value? {
    held.withLock { held in
      if held == nil { nil } else { body(&held!) }
    }
  }

  /// - Parameter make: makes it when there is none.
  func with<Value: Sendable>(
    _ make: @Sendable () -> sending ChangeDecider, _ body: @Sendable (inout ChangeDecider) -> Value
  ) -> Value {
    held.withLock { held in
      if held == nil { held = make() }
      // In its place: it is large.
      return body(&held!)
    }
  }
}
