import HearthTree

/// Turns: each begins when a transaction is answered, and ends when the client uses it for a retry or at its deadline.
extension TransactionTurns {
  // MARK: Begin

  /// Gives a waiting requester a turn, or adds it to an open turn that has room.
  mutating func giveTurn(_ requester: TurnRequester, at path: Path, _ instant: Instant) {
    guard mayTakeTurn(requester, at: instant) else { return }
    let (window, doublingsMax) = (window(of: requester, at: path, instant), limits.turnDoublingsMax)
    if let id = requester.connection { withContender(id) { $0.beginTurn(path) } }
    withQueue(path) { queue in
      let size = 1 << min(queue.expiredTurnCount, doublingsMax)
      var turn = queue.turn ?? TurnQueue.Turn(members: [], room: size, windowMilliseconds: 0)
      turn.members.append(requester)
      turn.room -= 1
      turn.windowMilliseconds = max(turn.windowMilliseconds, window)
      queue.turn = turn
    }
    answer(at: path, instant)
  }

  /// Returns the length of a requester's turn in milliseconds. Each expired turn halves it.
  private func window(of requester: TurnRequester, at path: Path, _ instant: Instant) -> Int64 {
    let contender = requester.connection.flatMap { contenders[$0] }
    let known = contender?.windowMilliseconds ?? queues[path]?.windowMilliseconds ?? limits.turnMillisecondsFirst
    let expiredTurnCount = expiredTurnCount(of: requester, at: instant) + (queues[path]?.expiredTurnCount ?? 0)
    return limits.turnWindow(known >> Int64(expiredTurnCount))
  }

  /// Records that the engine has answered the members of a turn. The turn's time begins when the answer has been sent,
  /// at the latest after ``EngineLimits/turnUndeliveredMillisecondsMax``.
  private mutating func answer(at path: Path, _ instant: Instant) {
    guard var turn = queues[path]?.turn else { return }
    openTurns[turn.serial] = nil
    lastSerial += 1
    turn.serial = lastSerial
    turn.deliveredMonotonicMilliseconds = nil
    openTurns[turn.serial] = path
    undelivered.append(turn.serial)
    setDeadline(of: turn, at: path, instant.monotonicMilliseconds + limits.turnUndeliveredMillisecondsMax)
  }

  private mutating func setDeadline(of turn: TurnQueue.Turn, at path: Path, _ deadline: Int64) {
    var turn = turn
    turn.deadlineMonotonicMilliseconds = deadline
    queues[path]?.turn = turn
    deadlines.insert(
      DeadlineQueue.Entry(
        deadlineMonotonicMilliseconds: deadline, connection: ConnectionID(rawValue: 0), serial: turn.serial))
  }

  /// Records that the answers of these turns have been sent.
  mutating func delivered(upTo serial: UInt64, at instant: Instant) {
    let count = undelivered.prefix { $0 <= serial }.count
    for serial in undelivered.prefix(count) {
      guard let path = openTurns[serial], var turn = queues[path]?.turn else { continue }
      turn.deliveredMonotonicMilliseconds = instant.monotonicMilliseconds
      guard turn.deadlineMonotonicMilliseconds != nil else {
        queues[path]?.turn = turn
        continue
      }
      setDeadline(of: turn, at: path, instant.monotonicMilliseconds + turn.windowMilliseconds)
    }
    undelivered.removeFirst(count)
  }

  // MARK: Use

  /// Returns the location of an open turn that permits a requester to write at a path: the turn's location is at or
  /// above that path.
  func turnLocation(of requester: TurnRequester, holding path: Path) -> Path? {
    for depth in 0...path.count {
      let place = path.prefix(depth)
      if queues[place]?.turn?.members.contains(requester) == true { return place }
    }
    return nil
  }

  /// Records a connection's write. When the write uses a turn that has expired, the client counts as slow rather than
  /// as inactive.
  mutating func recordWrite(_ requester: TurnRequester, at path: Path, _ instant: Instant) {
    guard let id = requester.connection, contenders[id] != nil else { return }
    if contenders[id]?.recordWrite(path, at: instant, limits) == true { timeouts.forgive(requester.user) }
  }

  /// Records a stale answer to a requester that need not wait: its turn begins, or continues.
  mutating func answeredStale(_ requester: TurnRequester, at path: Path, _ instant: Instant) {
    guard let place = turnLocation(of: requester, holding: path) else {
      // The write came without a turn, because there was no room or the requester gets none.
      guard !isContended(path), mayTakeTurn(requester, at: instant), hasRoomForQueue(at: path) else { return }
      return giveTurn(requester, at: path, instant)
    }
    // Another write changed the data during the turn. The turn continues after that only a limited number of times.
    if queues[place]?.turn?.deliveredMonotonicMilliseconds != nil { queues[place]?.turn?.staleCount += 1 }
    if queues[place]?.turn?.staleCount ?? 0 > limits.turnStaleAttemptsMax {
      return endUnusedTurn(requester, at: place, instant)
    }
    answer(at: place, instant)
  }

  /// Records a decision of a compared write other than a stale answer.
  ///
  /// - Parameter isDone: True when the write was made, false when it was refused.
  mutating func answered(_ requester: TurnRequester, at path: Path, isDone: Bool, _ instant: Instant) {
    let place = turnLocation(of: requester, holding: path)
    let turn = place.flatMap { queues[$0]?.turn }
    let elapsed = turn?.deliveredMonotonicMilliseconds.map { instant.monotonicMilliseconds - $0 }
    if isDone {
      timeouts.clear(requester.user)
      if let id = requester.connection, contenders[id] != nil {
        contenders[id]?.used(afterMilliseconds: elapsed, given: turn?.windowMilliseconds ?? 0, limits)
      }
    }
    guard let place, let turn else { return }
    guard isDone else { return endUnusedTurn(requester, at: place, instant) }
    if let elapsed {
      let window = limits.turnWindow(max(4 * elapsed, turn.windowMilliseconds / 2))
      queues[place]?.windowMilliseconds = window
    }
    // The data that the other members of the turn were sent has changed.
    if let count = queues[place]?.expiredTurnCount, count > 0 { queues[place]?.expiredTurnCount = count - 1 }
    close(at: place)
  }

  /// Removes the deadline of a turn while a member's write is decided in the background.
  mutating func setAside(_ requester: TurnRequester, at path: Path) {
    guard let place = turnLocation(of: requester, holding: path) else { return }
    queues[place]?.turn?.deadlineMonotonicMilliseconds = nil
  }

  // MARK: End

  /// Ends turns whose time is over.
  mutating func expire(at instant: Instant) {
    while let first = deadlines.first {
      let path = openTurns[first.serial]
      let turn = path.flatMap { queues[$0]?.turn }
      if let path, let turn, turn.deadlineMonotonicMilliseconds == first.deadlineMonotonicMilliseconds {
        guard first.deadlineMonotonicMilliseconds <= instant.monotonicMilliseconds else { return }
        for member in turn.members {
          timeouts.add(member.user, at: instant)
          guard let id = member.connection else { continue }
          contenders[id]?.recordExpiry(path, deliveredMonotonicMilliseconds: turn.deliveredMonotonicMilliseconds)
        }
        queues[path]?.expiredTurnCount += 1
        close(at: path)
      }
      _ = deadlines.removeFirst()
    }
  }

  /// Ends the turn of a requester whose attempts led to no commit: a requester without write permission must not delay
  /// others repeatedly.
  private mutating func endUnusedTurn(_ requester: TurnRequester, at path: Path, _ instant: Instant) {
    timeouts.add(requester.user, at: instant)
    if let id = requester.connection { contenders[id]?.recordExpiry(path, deliveredMonotonicMilliseconds: nil) }
    leave(requester, at: path)
  }

  /// Removes a closed connection from all turns and queues.
  mutating func leave(_ id: ConnectionID) {
    guard let contender = contenders[id] else { return }
    for path in contender.places {
      leave(TurnRequester(id), at: path)
      recheck(around: path)
    }
    contenders[id] = nil
  }

  /// Removes a requester from its turn.
  mutating func leave(_ requester: TurnRequester, at path: Path) {
    guard var turn = queues[path]?.turn, let index = turn.members.firstIndex(of: requester) else { return }
    guard turn.members.count > 1 else { return close(at: path) }
    turn.members.remove(at: index)
    queues[path]?.turn = turn
    if let id = requester.connection { contenders[id]?.count(path, -1) }
  }

  private mutating func close(at path: Path) {
    guard let turn = queues[path]?.turn else { return }
    openTurns[turn.serial] = nil
    for id in turn.members.compactMap(\.connection) { contenders[id]?.count(path, -1) }
    recheck(around: path)
    withQueue(path) { $0.turn = nil }
  }
}
