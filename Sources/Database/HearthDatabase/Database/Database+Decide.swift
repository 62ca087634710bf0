import Dispatch
import HearthEngine
import HearthJournal

/// The deciding queue: mailbox to pipeline.
extension Database {
  func drain() {
    if let follower { return follower.drain() }
    while true {
      let wasReleased = decideReleased()
      let isPending = engine.withLock { $0.hasPendingRedecisions }
      let (commands, arrival) = mailbox.withLock { box in
        let commands = box.take(limits.engine.batchCommandsMax)
        box.isAwake = !commands.isEmpty || wasReleased || isPending
        return (commands, box.takenArrivalNanoseconds)
      }
      guard !commands.isEmpty || wasReleased || isPending else { return }
      decide(commands.isEmpty && isPending ? [.tick] : commands[...], arrivalNanoseconds: arrival)
    }
  }

  /// Decides commands in order, except those that wait for a large command.
  ///
  /// - Parameter arrivalNanoseconds: The arrival time of the first command; 0 when unknown.
  func decide(
    _ commands: ArraySlice<Command>, from source: LargeWriteQueue.Source = .mailbox, arrivalNanoseconds: UInt64 = 0
  ) {
    if let follower { return follower.settle(commands, from: source) }
    var rest = admitted(commands, from: source)
    while !rest.isEmpty {
      let before = rest
      let large = decideInLine(&rest, settingAside: true, arrivalNanoseconds: arrivalNanoseconds)
      largeWrites.withLock { $0.decided(before[before.startIndex..<rest.startIndex]) }
      guard let large else {
        // Commands of other connections that arrived meanwhile may precede the rest.
        let isLeft = !rest.isEmpty && source == .mailbox
        if isLeft, mailbox.withLock({ $0.putBack(rest, arrivalNanoseconds: arrivalNanoseconds) }) { return }
        continue
      }
      LargeCommandWorker(database: self).begin(large, from: source)
      rest = admitted(rest, from: source)
    }
  }

  /// Decides the first commands, as many as fit a batch; without room on the disk, the first one.
  ///
  /// - Returns: The large command to set aside, if any: the last command of the batch, or an earlier request.
  func decideInLine(
    _ rest: inout ArraySlice<Command>, settingAside: Bool, arrivalNanoseconds: UInt64 = 0
  ) -> LargeCommand? {
    waitForRoom()
    let status = pipeline.withLock { $0.status }
    let instant = environment.clock()
    if case .stalled = status {
      decideStalled(&rest, at: instant)
      return nil
    }
    let isRunning = status == .running
    let start = environment.meters.now()
    var (batch, deadline) = engine.withLock { engine in
      if isRunning { engine.setStalled(nil) } else { engine.halt() }
      engine.setSpaceLow(lowSpace.isLow)
      engine.tapDecisions(watch.detail)
      engine.tapChanges(outboxes.tap)
      engine.placeTap.isOn = pulse.isWatched
      let batch = engine.decide(rest, at: instant, settingAside: settingAside && isRunning)
      return (batch, engine.nextDeadlineMonotonicMilliseconds)
    }
    environment.meters.decided(batch, since: start)
    charge(batch)
    batch.arrivalNanoseconds = arrivalNanoseconds
    rest = rest.dropFirst(batch.commandCount)
    pass(batch)
    setTimer(deadline, at: instant)
    return batch.largeCommand
  }

  /// Delays the connections whose commands took many steps. Background work delays no other command here.
  func charge(_ batch: Batch) {
    if !batch.work.isEmpty { mailbox.withLock { $0.charge(batch.work) } }
    let work = batch.work + batch.besideWork
    if !work.isEmpty { environment.charge(work) }
  }

  var isRunning: Bool { pipeline.withLock { $0.status == .running } }

  /// - Parameter turn: The time to deliver the effects of a batch without commits while others wait for room on the
  ///   disk.
  func pass(_ batch: Batch, _ turn: Stall.Turn = .last) {
    if let decided = batch.decided { hand(decided) }
    if let query = batch.liveQuery { LargeCommandWorker(database: self).evaluate(query) }
    if let follower { follower.passOn(batch.effects) }
    guard batch.hasCommits || !batch.effects.isEmpty else { return environment.meters.written([batch]) }
    var batch = batch
    // Both retain versions of the tree.
    (batch.largeCommand, batch.liveQuery, batch.decided) = (nil, nil, nil)
    let isWaking = pipeline.withLock { line in
      line.append(batch, turn)
      defer { line.isAwake = true }
      return !line.isAwake
    }
    if isWaking { journalQueue.async { self.writeWaiting() } }
  }

  /// Blocks the deciding queue while the disk is too far behind. While the disk is full, no command is decided that
  /// would wait for it.
  func waitForRoom() {
    let isFull = pipeline.withLock { line in
      let isBehind = line.waiting.count >= limits.batchesPendingMax || line.waitingBytes >= limits.bytesPendingMax
      line.isFull = isBehind && line.stall == nil
      return line.isFull
    }
    if isFull { room.wait() }
  }

  /// Arms the timer so that a tick arrives at the deadline. A timer that fires too early or twice does no harm.
  func setTimer(_ deadline: Int64?, at instant: Instant) {
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
