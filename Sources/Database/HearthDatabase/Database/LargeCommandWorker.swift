import Dispatch
import HearthEngine
import HearthJournal

/// Works on commands that take long: on a queue of their own first, then settled on the deciding queue.
struct LargeCommandWorker {
  let database: Database

  /// Begins to work on a command beside the others, or has it wait for the one under way.
  func begin(_ work: LargeCommand) {
    let isFirst = database.desk.withLock { desk in
      guard desk.current == nil else {
        desk.wait(work.command)
        return false
      }
      desk.begin(work)
      return true
    }
    if isFirst { run(work) }
  }

  private func run(_ work: LargeCommand) {
    database.largeWriteQueue.async {
      switch work {
      case .write(let write):
        let decided = staged(write.decided())
        database.decidingQueue.async { settle(decided) }
      case .comparison(let comparison):
        let result = comparison.compared()
        database.decidingQueue.async { settle(result) }
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
    let command = decided.write.command
    if let again = settled(command, { $0.settle(decided, at: $1) }) {
      let attemptsMax = database.limits.largeWriteAttemptsMax
      let isWorthIt = database.desk.withLock { $0.retry(without: decided.lookedAt, attemptsMax: attemptsMax) }
      if isWorthIt { return run(again) }
      decideAtLast(again.command)
    }
    end()
  }

  /// Decides a command whose comparison was made, or has it compared again.
  private func settle(_ result: ComparisonResult) {
    let attemptsMax = database.limits.largeWriteAttemptsMax
    let isLast = database.desk.withLock { !$0.retry(without: PlaceSet(), attemptsMax: attemptsMax) }
    if let again = settled(result.comparison.command, { $0.settle(result, at: $1, isLast: isLast) }) {
      // A write that compared well is decided beside the others from now on.
      if case .write = again { database.desk.withLock { $0.begin(again) } }
      return run(again)
    }
    end()
  }

  private func end() {
    database.desk.withLock { $0.end() }
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
