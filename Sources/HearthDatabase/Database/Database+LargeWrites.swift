import Dispatch
import HearthEngine
import HearthJournal

/// Large writes: decided on a queue of their own, settled on the deciding queue.
extension Database {
  /// What of these commands is decided now; the rest waits for the large write under way.
  func admitted(_ commands: ArraySlice<Command>, isReleased: Bool = false) -> ArraySlice<Command> {
    desk.withLock { desk in
      engine.withLock { engine in
        desk.admit(commands, isReleased: isReleased) { $0.replaces($1, in: engine.state.sessions) }[...]
      }
    }
  }

  /// Decides commands that waited for a large write, a share of them. On the deciding queue.
  ///
  /// - Returns: Whether there were any.
  func decideReleased() -> Bool {
    let commands = desk.withLock { $0.current == nil ? $0.takeReleased(limits.engine.batchCommandsMax / 2) : [] }
    guard !commands.isEmpty else { return false }
    decide(commands[...], isReleased: true)
    return true
  }

  /// Begins to decide a write beside the others, or has it wait for the one under way.
  func begin(_ write: LargeWrite) {
    let isFirst = desk.withLock { desk in
      guard desk.current == nil else {
        desk.wait(write.command)
        return false
      }
      desk.begin(write)
      return true
    }
    if isFirst { work(on: write) }
  }

  private func work(on write: LargeWrite) {
    largeWriteQueue.async {
      let decided = self.staged(write.decided())
      self.decidingQueue.async { self.settle(decided) }
    }
  }

  /// Puts a long record into the log piece by piece, each durable before the next, so that others come between. On the
  /// queue of large writes.
  private func staged(_ decided: DecidedWrite) -> DecidedWrite {
    guard decided.record.count > limits.recordPieceBytes else { return decided }
    // It would be for nothing.
    let current = decidingQueue.sync { engine.withLock { $0.state.root } }
    guard decided.root(on: current) != nil else { return decided }
    var (number, count, start): (Int64?, UInt32, Int) = (nil, 0, 0)
    while start < decided.record.count {
      let piece = decided.record[start..<min(start + limits.recordPieceBytes, decided.record.count)]
      let isTaken = decidingQueue.sync {
        waitForRoom()
        guard isRunning else { return false }
        let instant = environment.clock()
        let (batch, first) = engine.withLock { $0.stage(piece, number: number, at: instant) }
        number = first
        pass(batch)
        return true
      }
      guard isTaken else { return decided }
      journalQueue.sync {}
      (start, count) = (piece.endIndex, count + 1)
    }
    var decided = decided
    if let number { decided.pieces = (number, count) }
    return decided
  }

  /// Makes a write so that was decided, or has it decided again.
  private func settle(_ decided: DecidedWrite) {
    if let again = settleOnce(decided) {
      let isWorthIt = desk.withLock { $0.retry(without: decided.lookedAt, attemptsMax: limits.largeWriteAttemptsMax) }
      if isWorthIt { return work(on: again) }
      decideAtLast(again.command)
    }
    desk.withLock { $0.end() }
    drain()
  }

  /// - Returns: The write when it was decided from something that is different now.
  private func settleOnce(_ decided: DecidedWrite) -> LargeWrite? {
    waitForRoom()
    guard isRunning else {
      decideAtLast(decided.write.command)
      return nil
    }
    while true {
      let (instant, start) = (environment.clock(), environment.meters.now())
      let (batch, deadline) = engine.withLock { engine in
        engine.setStalled(nil)
        engine.tapDecisions(watch.detail)
        engine.tapChanges(outboxes.tap)
        return (engine.settle(decided, at: instant), engine.nextDeadlineMonotonicMilliseconds)
      }
      environment.meters.decided(batch, since: start)
      pass(batch)
      setTimer(deadline, at: instant)
      // Otherwise what the engine had to do before filled the batch.
      if batch.commandCount > 0 { return batch.setAside }
    }
  }

  /// Decides a write like any other: after too many attempts, or when nothing is stored any more.
  private func decideAtLast(_ command: Command) {
    engine.withLock { $0.forgetPieces() }
    var rest: ArraySlice = [command]
    while !rest.isEmpty { _ = decideInLine(&rest, settingAside: false) }
  }
}
