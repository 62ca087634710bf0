import Dispatch
import HearthEngine
import HearthJournal

/// The worker for large commands: runs them on a queue of their own, then settles them on the deciding queue.
struct LargeCommandWorker {
  let database: Database

  /// Starts a command that was set aside, or queues it for its turn.
  func begin(_ work: LargeCommand, from source: LargeWriteQueue.Source) {
    let client = database.engine.withLock { work.command.claimant(in: $0) }
    switch database.largeWrites.withLock({ $0.begin(work, of: client, from: source) }) {
    case .now: run(work)
    case .later: break
    case .uncompared:
      guard case .comparison(let comparison) = work else { return }
      _ = settled(work.command) { $0.settle(.notMade(comparison), at: $1, isLast: true) }
    }
  }

  /// Starts the next commands that wait for a worker, as long as it is free.
  ///
  /// - Returns: False when no command was decided or started.
  func beginNext(for worker: LargeWriteQueue.Worker) -> Bool {
    var count = 0
    while count < database.limits.engine.batchCommandsMax / 2,
      let next = database.largeWrites.withLock({ $0.next(for: worker) })
    {
      count += 1
      decideAnew(next, for: worker)
    }
    return count > 0
  }

  /// Decides a command that had to wait on the present state, which may take long again.
  private func decideAnew(_ command: Command, for worker: LargeWriteQueue.Worker) {
    var rest: ArraySlice = [command]
    while !rest.isEmpty {
      guard let work = database.decideInLine(&rest, settingAside: true) else { continue }
      if rest.isEmpty, database.largeWrites.withLock({ $0.takeReserved(work) }) { return run(work) }
      begin(work, from: .line)
      // An earlier request of the same connection is worked on first.
      guard !rest.isEmpty, !command.isOneOff, work.command.connection == command.connection else { continue }
      database.largeWrites.withLock { $0.putBack(command) }
      break
    }
    database.largeWrites.withLock { $0.finish(worker) }
  }

  private func run(_ work: LargeCommand) {
    switch work {
    case .write(let write):
      database.largeWriteQueue.async {
        let decided = staged(write.decided())
        database.decidingQueue.async { settle(decided) }
      }
    case .comparison(let comparison):
      database.largeReadQueue.async {
        let result = comparison.compared()
        database.decidingQueue.async {
          settle(comparison.command, steps: result.steps) { $0.settle(result, at: $1, isLast: $2) }
        }
      }
    case .query(let query):
      database.largeReadQueue.async {
        let found = query.found()
        database.decidingQueue.async {
          settle(query.command, steps: found.steps) { $0.settle(found, at: $1, isLast: $2) }
        }
      }
    }
  }

  /// Evaluates a live query whose location was replaced, and then updates it.
  func evaluate(_ query: LargeQuery) {
    database.largeReadQueue.async {
      let found = query.found()
      database.decidingQueue.async {
        database.waitForRoom()
        let (instant, start) = (database.environment.clock(), database.environment.meters.now())
        let (batch, deadline) = database.engine.withLock { engine in
          engine.tapDecisions(database.watch.detail)
          return (engine.settle(evaluated: found, at: instant), engine.nextDeadlineMonotonicMilliseconds)
        }
        database.environment.meters.decided(batch, since: start)
        database.charge(batch)
        database.pass(batch)
        database.setTimer(deadline, at: instant)
        database.drain()
      }
    }
  }

  /// Writes a long record to the log in pieces, each durable before the next, so that other batches come between. Runs
  /// on the queue of large writes.
  private func staged(_ decided: DecidedWrite) -> DecidedWrite {
    let (queue, pieceBytes) = (database.decidingQueue, database.limits.recordPieceBytes)
    guard decided.record.count > pieceBytes else { return decided }
    // The pieces would be wasted.
    let current = queue.sync { database.engine.withLock { $0.state.root } }
    guard decided.root(on: current) != nil else { return decided }
    var (number, count, start): (Int64?, UInt32, Int) = (nil, 0, 0)
    while start < decided.record.count {
      let piece = decided.record[start..<min(start + pieceBytes, decided.record.count)]
      let isTaken = queue.sync {
        database.waitForRoom()
        guard database.isRunning else { return false }
        let instant = database.environment.clock()
        let (batch, first) = database.engine.withLock { $0.stage(piece, number: number, at: instant) }
        number = first
        database.pass(batch)
        return true
      }
      guard isTaken else { return decided }
      database.journalQueue.sync {}
      (start, count) = (piece.endIndex, count + 1)
    }
    var decided = decided
    if let number { decided.pieces = (number, count) }
    return decided
  }

  /// Commits a write that was decided, or decides it again.
  private func settle(_ decided: DecidedWrite) {
    guard let again = settled(decided.write.command, { $0.settle(decided, at: $1) }) else {
      return end(.writes, steps: decided.steps)
    }
    let isWorthIt = database.largeWrites.withLock { $0.retry(.writes, without: decided.lookedAt, steps: decided.steps) }
    if isWorthIt { return run(again) }
    decideAtLast(again.command)
    end(.writes)
  }

  /// Decides a command whose comparison or query is done, or repeats the work.
  private func settle(_ command: Command, steps: Int, _ settle: (inout Engine, Instant, _ isLast: Bool) -> Batch) {
    let isLast = database.largeWrites.withLock { !$0.retry(.reads, steps: steps) }
    let again = settled(command) { settle(&$0, $1, isLast) }
    if let again {
      if LargeWriteQueue.Worker(again) == .reads { return run(again) }
      // After its comparison, a write continues in the background.
      begin(again, from: .line)
    }
    end(.reads)
  }

  private func end(_ worker: LargeWriteQueue.Worker, steps: Int = 0) {
    database.largeWrites.withLock { $0.finish(worker, steps: steps) }
    database.drain()
  }

  /// Settles a command.
  ///
  /// - Returns: The command when the state that it was worked on has changed since.
  private func settled(_ command: Command, _ settle: (inout Engine, Instant) -> Batch) -> LargeCommand? {
    database.waitForRoom()
    guard database.isRunning else {
      decideAtLast(command)
      return nil
    }
    while true {
      let (instant, start) = (database.environment.clock(), database.environment.meters.now())
      let (batch, deadline) = database.engine.withLock { engine in
        engine.setStalled(nil)
        engine.tapDecisions(database.watch.detail)
        engine.tapChanges(database.outboxes.tap)
        return (settle(&engine, instant), engine.nextDeadlineMonotonicMilliseconds)
      }
      database.environment.meters.decided(batch, since: start)
      database.charge(batch)
      database.pass(batch)
      database.setTimer(deadline, at: instant)
      // Otherwise work that the engine had to do first filled the batch.
      if batch.commandCount > 0 { return batch.largeCommand }
    }
  }

  /// Decides a command in line: after too many attempts, or when the database no longer stores commits.
  private func decideAtLast(_ command: Command) {
    database.engine.withLock { $0.forgetPieces() }
    var rest: ArraySlice = [command]
    while !rest.isEmpty { _ = database.decideInLine(&rest, settingAside: false) }
  }
}
