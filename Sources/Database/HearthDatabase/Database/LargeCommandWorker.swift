import Dispatch
import HearthEngine
import HearthJournal

/// Works on commands that take long: on a queue of their own first, then settled on the deciding queue.
struct LargeCommandWorker {
  let database: Database

  /// Begins to work on a command that was set aside, or has it wait for its turn.
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

  /// Begins to work on the next commands that wait for a worker, as long as it is free.
  ///
  /// - Returns: False when none was decided or begun.
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

  /// Decides a command that had to wait on the state of now, which may take long again.
  private func decideAnew(_ command: Command, for worker: LargeWriteQueue.Worker) {
    var rest: ArraySlice = [command]
    while !rest.isEmpty {
      guard let work = database.decideInLine(&rest, settingAside: true) else { continue }
      if rest.isEmpty, database.largeWrites.withLock({ $0.takeReserved(work) }) { return run(work) }
      begin(work, from: .line)
      // What the same connection asked for before is worked on first.
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

  /// Puts a long record into the log piece by piece, each durable before the next, so that others come between. On the
  /// queue of large writes.
  private func staged(_ decided: DecidedWrite) -> DecidedWrite {
    let (queue, pieceBytes) = (database.decidingQueue, database.limits.recordPieceBytes)
    guard decided.record.count > pieceBytes else { return decided }
    // It would be for nothing.
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

  /// Makes a write so that was decided, or has it decided again.
  private func settle(_ decided: DecidedWrite) {
    guard let again = settled(decided.write.command, { $0.settle(decided, at: $1) }) else {
      return end(.writes, steps: decided.steps)
    }
    let isWorthIt = database.largeWrites.withLock { $0.retry(.writes, without: decided.lookedAt, steps: decided.steps) }
    if isWorthIt { return run(again) }
    decideAtLast(again.command)
    end(.writes)
  }

  /// Decides a command whose comparison was made or whose query was worked out, or has it worked on again.
  private func settle(_ command: Command, steps: Int, _ settle: (inout Engine, Instant, _ isLast: Bool) -> Batch) {
    let isLast = database.largeWrites.withLock { !$0.retry(.reads, steps: steps) }
    let again = settled(command) { settle(&$0, $1, isLast) }
    if let again {
      if LargeWriteQueue.Worker(again) == .reads { return run(again) }
      // A write that compared well is decided beside the others from now on.
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
  /// - Returns: The command when it was worked on from something that is different now.
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
      // Otherwise what the engine had to do before filled the batch.
      if batch.commandCount > 0 { return batch.largeCommand }
    }
  }

  /// Decides a command like any other: after too many attempts, or when nothing is stored any more.
  private func decideAtLast(_ command: Command) {
    database.engine.withLock { $0.forgetPieces() }
    var rest: ArraySlice = [command]
    while !rest.isEmpty { _ = database.decideInLine(&rest, settingAside: false) }
  }
}
