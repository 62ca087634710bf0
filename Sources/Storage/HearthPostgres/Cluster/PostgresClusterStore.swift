import HearthCluster
import HearthJournal

/// The store of a cluster in PostgreSQL: leases, owners and logs, in the same tables as the journals of a server
/// without a cluster.
///
/// Leases have a connection of their own, so that no heartbeat waits for a large row. Claims and reads have one each.
/// Appends have several; those of one database use the same one, which keeps them in order. When the server does not
/// answer in time, the outcome is unknown, and the store does not retry.
package final class PostgresClusterStore: ClusterCatalog {
  /// The callback for problems that the operator should know: a server that fails a call, or an unreadable log.
  package typealias Report = @Sendable (JournalError) -> Void

  /// The name of the database product, for messages.
  package var product: String { "PostgreSQL" }

  /// The number that identifies this cluster.
  package let cluster: UInt64

  let engine: PostgresEngine
  let sql: ClusterSQL
  let report: Report
  private let node: (address: String, leaseMilliseconds: Int64)
  private let lease: PostgresWorker
  private let control: PostgresWorker
  private let reader: PostgresWorker
  private let writers: [PostgresWorker]

  /// Creates the store, which connects at its first call.
  ///
  /// - Parameters:
  /// - engine: The engine with the tables and the address.
  /// - address: The address at which other nodes reach this one.
  /// - Throws: The error of a read; `.inputOutput` when there is no thread or descriptor left.
  package convenience init(
    _ engine: PostgresEngine, address: String, timing: ClusterTiming, report: @escaping Report
  ) throws(JournalError) {
    try self.init(engine, address: address, timing: timing, sql: ClusterSQL(), report: report)
  }

  init(
    _ engine: PostgresEngine, address: String, timing: ClusterTiming, sql: ClusterSQL, report: @escaping Report
  ) throws(JournalError) {
    (self.engine, self.sql, self.report) = (engine, sql, report)
    node = (address, timing.leaseMilliseconds)
    let found = try engine.run(
      "reading the cluster", 0, [PostgresStatement(ClusterSQL.cluster)], isRepeatable: true)
    guard let number = found[0].integer(0, 0) else {
      throw JournalError(.corrupt, "the table cluster in \(engine.address) has no row")
    }
    cluster = UInt64(bitPattern: number)
    let workers = try engine.workers(3 + engine.options.writers, prepared: sql.prepared)
    (lease, control, reader) = (workers[0], workers[1], workers[2])
    writers = Array(workers[3...])
  }

  deinit { close() }

  /// Closes the connections: later calls have no effect.
  package func close() {
    for worker in [lease, control, reader] + writers { worker.close() }
  }

  /// Returns the ID of the database with a journal of that name, and creates it when it is missing. Blocks.
  ///
  /// - Parameter collection: The prefix of the names of the journals of one kind.
  package func database(_ name: String, of collection: String) throws(JournalError) -> DatabaseID {
    let identifier = try engine.journals(collection).identifier(of: name)
    guard let number = UInt32(exactly: identifier) else {
      throw JournalError(.tooLarge, "the journal \(name) has the number \(identifier), over the limit of a cluster")
    }
    return DatabaseID(rawValue: number)
  }

  /// Opens the journal of that name. Blocks.
  ///
  /// - Parameter collection: The prefix of the names of the journals of one kind.
  package func openJournal(_ name: String, of collection: String) throws(JournalError) -> any Journal {
    try engine.journals(collection).open(name).journal
  }

  // MARK: Leases

  /// Calls the store about the node's lease. The answer is given once, on another thread, which the handler must not
  /// block.
  package func ask(_ call: NodeLease.Call, then: @escaping @Sendable (NodeLease.Answer) -> Void) {
    let statement: PostgresStatement =
      switch call {
      case .register(let name):
        PostgresStatement(
          sql.register, [.text(name.name), .text(node.address), .integer(node.leaseMilliseconds)])
      case .heartbeat(let run):
        PostgresStatement(
          sql.heartbeat, [.text(run.node.name), .integer(run.number), .integer(node.leaseMilliseconds)])
      }
    // A call whose commit hangs keeps the row locked. The lock timeout makes calls that wait for it fail, so that they
    // do not occupy the connection as long.
    send([ClusterSQL.leaseLockTimeout, statement], to: lease, seconds: PostgresLimits.leaseAnswerSeconds) { answers in
      guard let found = answers?.last else { return then(.failed) }
      switch call {
      case .register(let name):
        then(found.integer(0, 0).map { .registered(Incarnation(node: name, number: $0)) } ?? .failed)
      case .heartbeat: then(found.integer(0, 0).map { .renewed(gaps: $0) } ?? .ended)
      }
    }
  }

  // MARK: Databases

  /// Calls the store about a database. The answer is given once, on another thread, which the handler must not block.
  /// Answers to appends of a database are given in order.
  package func ask(
    _ call: StoreCall, of database: DatabaseID, then: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    let journal = PostgresStatement.Parameter.integer(Int64(database.rawValue))
    switch call {
    case .readOwner:
      send([PostgresStatement(sql.owner, [journal])], to: control) { answers in
        guard let found = answers?.first, var record = OwnerRecord(found) else { return then(.failed) }
        record.remainingMilliseconds = found.integer(0, 4).map { max(0, $0) }
        then(.owner(record))
      }
    case .claim(let seen, let known, let me):
      claim(journal, seen: seen, known: known, me, then)
    case .read(let position):
      let bytes = Int64(PostgresLimits.tailReadBytes)
      let statements = [
        PostgresStatement(sql.position, [journal, .integer(position)]),
        PostgresStatement(sql.rows, [journal, .integer(position), .integer(bytes)]),
      ]
      send(statements, to: reader) { [report] answers in
        guard let answers else { return then(.failed) }
        do throws(JournalError) { then(.rows(try LogReading(answers[0], answers[1], after: position))) } catch {
          // The caller handles this call itself.
          if error.code == .pruned { return then(.pruned) }
          report(error)
          then(.failed)
        }
      }
    case .append(let row, let before, let claim, let entries):
      guard let statements = append(row, entries, after: before, claim: claim, journal) else { return then(.refused) }
      let writer = writers[Int(database.rawValue) % writers.count]
      send(
        statements, to: writer, noRoom: { then(.noRoom) },
        then: { answers in then(answers.map { $0[0].count == 1 ? .done : .refused } ?? .failed) })
    case .release(let epoch):
      send([PostgresStatement(sql.release, [journal, .integer(epoch)])], to: control) { answers in
        then(answers.map { $0[0].count == 1 ? .done : .refused } ?? .failed)
      }
    case .end(let run):
      send([PostgresStatement(sql.end, [.text(run.node.name), .integer(run.number)])], to: control) { answers in
        then(answers.map { $0[0].count == 1 ? .done : .refused } ?? .failed)
      }
    }
  }

  private func claim(
    _ journal: PostgresStatement.Parameter, seen: Int64, known: Int64, _ me: Incarnation,
    _ then: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    let next = max(seen, known)
    guard next < .max else { return then(.refused) }
    let run: [PostgresStatement.Parameter] = [.text(me.node.name), .integer(me.number)]
    let claimed = [journal, .integer(next + 1)] + run
    let statements = [
      PostgresStatement(sql.claim, [journal, .integer(seen), .integer(known)] + run),
      PostgresStatement(sql.removeClaim, claimed), PostgresStatement(sql.pruneClaim, claimed),
    ]
    send(statements, to: control) { answers in
      guard let answers else { return then(.failed) }
      then(answers[0].integer(0, 0).map { .claimed(epoch: $0) } ?? .refused)
    }
  }

  /// Returns the statements of an append; nil when the row does not follow its predecessor.
  private func append(
    _ row: LogRow, _ entries: [OutboxEntry], after before: JournalHead, claim: Int64,
    _ journal: PostgresStatement.Parameter
  ) -> [PostgresStatement]? {
    guard row.follows(before) else { return nil }
    let batch = row.batch
    let first = PostgresStatement.Parameter.integer(batch.firstPosition)
    let pieces = PostgresBatchRow.pieces(of: batch.payload)
    var parameters: [PostgresStatement.Parameter] = [
      journal, first, .integer(batch.lastPosition), .integer(row.epoch), .hash(row.hash),
      .integer(Int64(batch.payload.count)), .integer(Int64(pieces.count - 1)), .bytes(pieces[0]), .integer(claim),
    ]
    if before != .empty { parameters += [.integer(before.epoch), .hash(before.runningHash)] }
    let statement = PostgresStatement(before == .empty ? sql.appendFirst : sql.append, parameters)
    return [statement]
      + pieces.enumerated().dropFirst().map { number, piece in
        PostgresStatement(
          BatchSQL.addPart,
          [journal, first, .integer(row.epoch), .hash(row.hash), .integer(Int64(number)), .bytes(piece)])
      } + OutboxSQL.adding(entries, to: batch, row.head, journal)
  }

  // MARK: Requests

  /// Runs statements in one transaction of a connection.
  ///
  /// - Parameters:
  /// - noRoom: Called instead of `then` when the statements were undone because the disk is full; nil to treat this as
  ///   any other failure.
  /// - then: Receives an answer for each statement; nil when they were undone or their outcome is unknown.
  private func send(
    _ statements: [PostgresStatement], to worker: PostgresWorker, seconds: Int? = nil,
    noRoom: (@Sendable () -> Void)? = nil,
    then: @escaping @Sendable ([PostgresAnswer]?) -> Void
  ) {
    let deadline: UInt64 =
      if let seconds {
        PostgresWorker.now &+ UInt64(seconds) &* 1_000_000_000
      } else {
        engine.answerDeadline(for: statements, deadline: engine.deadline)
      }
    let request = PostgresRequest(statements, deadline: deadline) { [report, address = engine.address] outcome in
      switch outcome {
      case .done(let answers): then(answers)
      case .refused(let fault):
        let error = JournalError(fault, action: "a cluster request", address)
        if error.code == .noSpace, let noRoom { return noRoom() }
        if !fault.isTransient { report(error) }
        then(nil)
      case .unsent, .unknown: then(nil)
      }
    }
    worker.submit(request)
  }
}
