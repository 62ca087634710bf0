import Dispatch
import HearthJournal

/// The deciding queue: mailbox to pipeline.
extension Database {
  func drain() {
    while true {
      let commands = mailbox.withLock { box in
        let commands = box.take(limits.batchCommandsMax)
        box.isAwake = !commands.isEmpty
        return commands
      }
      guard !commands.isEmpty else { return }
      var rest = commands[...]
      while !rest.isEmpty {
        waitForRoom()
        let isRunning = pipeline.withLock { $0.status == .running }
        let instant = environment.clock()
        let (batch, deadline) = engine.withLock { engine in
          if !isRunning { engine.halt() }
          let batch = engine.decide(rest, at: instant)
          return (batch, engine.nextDeadlineMonotonicMilliseconds)
        }
        rest = rest.dropFirst(batch.commandCount)
        pass(batch)
        setTimer(deadline, at: instant)
      }
    }
  }

  private func pass(_ batch: Batch) {
    guard batch.hasCommits || !batch.effects.isEmpty else { return }
    let isWaking = pipeline.withLock { line in
      line.waiting.append(batch)
      line.waitingBytes += batch.payload.count
      defer { line.isAwake = true }
      return !line.isAwake
    }
    if isWaking { journalQueue.async { self.writeWaiting() } }
  }

  /// Holds the deciding queue while the disk is too far behind.
  private func waitForRoom() {
    let isFull = pipeline.withLock { line in
      line.isFull = line.waiting.count >= limits.batchesPendingMax || line.waitingBytes >= limits.bytesPendingMax
      return line.isFull
    }
    if isFull { room.wait() }
  }

  /// Sees to it that a tick comes when something is due. A timer that fires too early or twice does no harm.
  private func setTimer(_ deadline: Int64?, at instant: Instant) {
    guard let deadline else { return }
    let isEarlier = mailbox.withLock { box in
      if let armed = box.armedMonotonicMilliseconds, armed <= deadline { return false }
      box.armedMonotonicMilliseconds = deadline
      return true
    }
    guard isEarlier else { return }
    environment.schedule(max(0, deadline - instant.monotonicMilliseconds)) { [weak self] in
      guard let self else { return }
      mailbox.withLock { box in
        if box.armedMonotonicMilliseconds == deadline { box.armedMonotonicMilliseconds = nil }
      }
      submit([Command(connection: ConnectionID(rawValue: 0), action: .tick)])
    }
  }
}
