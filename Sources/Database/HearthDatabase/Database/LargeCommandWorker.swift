import Dispatch
import HearthEngine
import HearthJournal

/// The worker for large commands: computes them on a queue of their own, then settles (commits and answers) them on the
/// deciding queue.
struct LargeCommandWorker {
  let decider: CommandDecider
  let pool: LargeCommandPool

  private var batches: BatchQueue { decider.writer.batches }
  /// The number of commands that wait for a large command.
  var waitingCount: Int { pool.commands.withLock { $0.waitingCount } }

  /// Returns the commands that can be decided now, and leaves the others to wait in ``LargeCommandScheduler``.
  func admitted(_ commands: ArraySlice<Command>, from source: LargeCommandScheduler.Source) -> ArraySlice<Command> {
    let (admitted, crowd) = pool.commands.withLock { queue in
      let admitted = decider.engine.withLock { engine in
        queue.admit(commands, from: source) { $0.replaces($1, in: engine.state.sessions) }
      }
      return (admitted, queue.takePausedConnections())
    }
    if let crowd { decider.mailbox.withLock { $0.pausedConnections = crowd } }
    return admitted[...]
  }

  /// Decides commands that no longer wait for a large command, up to half of a batch, and starts the next large command
  /// of each worker that is free. Runs on the deciding queue.
  ///
  /// - Returns: False when no command may be decided.
  func decideReleased() -> Bool {
    let countMax = decider.limits.engine.batchCommandsMax / 2
    let (commands, source, crowd) = pool.commands.withLock { queue in
      let (commands, source) = queue.takeReleased(countMax)
      return (commands, source, queue.takePausedConnections())
    }
    if let crowd { decider.mailbox.withLock { $0.pausedConnections = crowd } }
    if !commands.isEmpty { decider.decide(commands[...], from: source) }
    var isBusy = !commands.isEmpty
    for worker in LargeCommandScheduler.Worker.allCases { isBusy = beginNext(for: worker) || isBusy }
    return isBusy
  }

  /// Starts a large command, or queues it until its worker is free.
  func begin(_ work: LargeCommand, from source: LargeCommandScheduler.Source) {
    let client = decider.engine.withLock { work.command.claimant(in: $0) }
    switch pool.commands.withLock({ $0.begin(work, of: client, from: source) }) {
    case .now: run(work)
    case .later: break
    case .sendsWholeValue:
      guard case .comparison(let comparison) = work else { return }
      _ = settled(work.command) { $0.settle(.notMade(comparison), at: $1, isLast: true) }
    }
  }

  /// Starts the next command that waits for a worker when it is free. One at a time, because it may be decided at once:
  /// other commands come between.
  ///
  /// - Returns: False when no command was decided or started.
  private func beginNext(for worker: LargeCommandScheduler.Worker) -> Bool {
    guard let next = pool.commands.withLock({ $0.next(for: worker) }) else { return false }
    decideAnew(next, for: worker)
    return true
  }

  /// Decides a command that had to wait for the worker, on the present state; it may turn out to be a large command
  /// again.
  private func decideAnew(_ command: Command, for worker: LargeCommandScheduler.Worker) {
    var rest: ArraySlice = [command]
    while !rest.isEmpty {
      guard let work = decider.decideInline(&rest, settingAside: true) else { continue }
      if rest.isEmpty, pool.commands.withLock({ $0.takeReserved(work) }) { return run(work) }
      begin(work, from: .connectionQueue)
      // The large command is an earlier request of the same connection, which goes first.
      guard !rest.isEmpty, !command.isOneOff, work.command.connection == command.connection else { continue }
      pool.commands.withLock { $0.putBack(command) }
      break
    }
    pool.commands.withLock { $0.finish(worker) }
  }

  private func run(_ work: LargeCommand) {
    switch work {
    case .write(let write):
      pool.writes.async {
        let decided = staged(write.decided())
        decider.queue.async { settle(decided) }
      }
    case .comparison(let comparison):
      pool.reads.async {
        let result = comparison.compared()
        decider.queue.async {
          settle(comparison.command, steps: result.steps) { $0.settle(result, at: $1, isLast: $2) }
        }
      }
    case .query(let query):
      pool.reads.async {
        let found = query.evaluated()
        decider.queue.async {
          settle(query.command, steps: found.steps) { $0.settle(found, at: $1, isLast: $2) }
        }
      }
    }
  }

  /// Evaluates a live query anew after its location was replaced, then updates its listeners.
  func evaluate(_ query: LargeQuery) {
    pool.reads.async {
      let found = query.evaluated()
      decider.queue.async {
        batches.waitForRoom()
        let instant = decider.environment.clock()
        decider.decide(at: instant) { $0.settle(evaluated: found, at: instant) }
        decider.drain()
      }
    }
  }

  /// Writes a long record to the log in pieces, each durable before the next, so that other batches can be written
  /// between them. Runs on the queue of large writes.
  private func staged(_ decided: DecidedWrite) -> DecidedWrite {
    let (queue, pieceBytes) = (decider.queue, decider.limits.recordPieceBytes)
    guard decided.record.count > pieceBytes else { return decided }
    // The write would be decided again, so its pieces would be wasted.
    let current = queue.sync { decider.engine.withLock { $0.state.root } }
    guard decided.root(on: current) != nil else { return decided }
    var (number, count, start): (Int64?, UInt32, Int) = (nil, 0, 0)
    while start < decided.record.count {
      let piece = decided.record[start..<min(start + pieceBytes, decided.record.count)]
      let isTaken = queue.sync {
        batches.waitForRoom()
        guard decider.isRunning else { return false }
        let instant = decider.environment.clock()
        let (batch, first) = decider.engine.withLock { LargeWrite.stage(piece, number: number, at: instant, in: &$0) }
        number = first
        decider.enqueue(batch)
        return true
      }
      guard isTaken else { return decided }
      decider.writer.queue.sync {}
      (start, count) = (piece.endIndex, count + 1)
    }
    var decided = decided
    if let number { decided.pieces = (number, count) }
    return decided
  }

  /// Commits a write that was decided in the background, or decides it again when its inputs have changed.
  private func settle(_ decided: DecidedWrite) {
    guard let again = settled(decided.write.command, { $0.settle(decided, at: $1) }) else {
      return end(.writes, steps: decided.steps)
    }
    let isWorthIt = pool.commands.withLock {
      $0.retry(.writes, without: decided.dependencyLocations, steps: decided.steps)
    }
    if isWorthIt { return run(again) }
    decideInlineAfterRetries(again.command)
    end(.writes)
  }

  /// Decides a command whose comparison or query was made in the background, or repeats that work when the data has
  /// changed.
  private func settle(_ command: Command, steps: Int, _ settle: (inout Engine, Instant, _ isLast: Bool) -> Batch) {
    let isLast = pool.commands.withLock { !$0.retry(.reads, steps: steps) }
    let again = settled(command) { settle(&$0, $1, isLast) }
    if let again {
      if LargeCommandScheduler.Worker(again) == .reads { return run(again) }
      // After its comparison, a write continues in the background.
      begin(again, from: .connectionQueue)
    }
    end(.reads)
  }

  private func end(_ worker: LargeCommandScheduler.Worker, steps: Int = 0) {
    pool.commands.withLock { $0.finish(worker, steps: steps) }
    decider.drain()
  }

  /// Commits and answers a command on the deciding queue.
  ///
  /// - Returns: The command to run in the background again, when the data that it used has changed since; nil when it
  ///   is answered.
  private func settled(_ command: Command, _ settle: (inout Engine, Instant) -> Batch) -> LargeCommand? {
    batches.waitForRoom()
    guard decider.isRunning else {
      decideInlineAfterRetries(command)
      return nil
    }
    while true {
      let instant = decider.environment.clock()
      let batch = decider.decide(at: instant) { engine in
        engine.setStalled(nil)
        engine.observeCommits(decider.writer.outboxes.commitObserver)
        return settle(&engine, instant)
      }
      // With no decided command, other work of the engine filled the batch: the loop tries again.
      if batch.commandCount > 0 { return batch.largeCommand }
    }
  }

  /// Decides a command on the deciding queue itself: after too many attempts in the background, or when the database no
  /// longer stores commits.
  private func decideInlineAfterRetries(_ command: Command) {
    decider.engine.withLock { LargeWrite.forgetPieces(in: &$0) }
    var rest: ArraySlice = [command]
    while !rest.isEmpty { _ = decider.decideInline(&rest, settingAside: false) }
  }
}
