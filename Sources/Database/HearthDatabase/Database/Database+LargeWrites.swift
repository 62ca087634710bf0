import HearthEngine

/// Commands that wait for a large command: see ``LargeWriteQueue``.
extension Database {
  /// Returns the commands to decide now; the others wait in ``LargeWriteQueue``.
  func admitted(_ commands: ArraySlice<Command>, from source: LargeWriteQueue.Source) -> ArraySlice<Command> {
    let (admitted, crowd) = largeWrites.withLock { queue in
      let admitted = engine.withLock { engine in
        queue.admit(commands, from: source) { $0.replaces($1, in: engine.state.sessions) }
      }
      return (admitted, queue.takeCrowd())
    }
    if let crowd { mailbox.withLock { $0.crowded = crowd } }
    return admitted[...]
  }

  /// Decides released commands, up to a share of a batch. Runs on the deciding queue.
  ///
  /// - Returns: False when no command may be decided.
  func decideReleased() -> Bool {
    let countMax = limits.engine.batchCommandsMax / 2
    let (commands, source, crowd) = largeWrites.withLock { queue in
      let (commands, source) = queue.takeReleased(countMax)
      return (commands, source, queue.takeCrowd())
    }
    if let crowd { mailbox.withLock { $0.crowded = crowd } }
    if !commands.isEmpty { decide(commands[...], from: source) }
    let worker = LargeCommandWorker(database: self)
    var isBusy = !commands.isEmpty
    for kind in LargeWriteQueue.Worker.allCases { isBusy = worker.beginNext(for: kind) || isBusy }
    return isBusy
  }
}
