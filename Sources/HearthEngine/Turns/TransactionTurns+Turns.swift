import HearthTree

/// Turns begin with an answer and end with its use, or without.
extension TransactionTurns {
  // MARK: Begin

  /// Gives somebody who waited a turn, or a share in the one that has room.
  mutating func seat(_ asker: TurnAsker, at path: Path, _ instant: Instant) {
    guard takesPart(asker) else { return }
    let (window, doublingsMax) = (window(of: asker, at: path), limits.turnDoublingsMax)
    if let id = asker.connection { withGuest(id) { $0.begins(path) } }
    withLine(path) { line in
      let size = 1 << min(line.silenceCount, doublingsMax)
      var turn = line.turn ?? TurnLine.Turn(members: [], room: size, windowMilliseconds: 0)
      turn.members.append(asker)
      turn.room -= 1
      turn.windowMilliseconds = max(turn.windowMilliseconds, window)
      line.turn = turn
    }
    answer(at: path, instant)
  }

  /// How long somebody may take. Each turn that passed in silence halves it.
  private func window(of asker: TurnAsker, at path: Path) -> Int64 {
    let guest = asker.connection.flatMap { guests[$0] }
    let known = guest?.windowMilliseconds ?? lines[path]?.windowMilliseconds ?? limits.turnMillisecondsFirst
    return limits.turnWindow(known >> Int64((guest?.silenceCount ?? 0) + (lines[path]?.silenceCount ?? 0)))
  }

  /// A turn's answer is given; its time begins when that is on its way, or at the latest when the disk has had its time.
  private mutating func answer(at path: Path, _ instant: Instant) {
    guard var turn = lines[path]?.turn else { return }
    openTurns[turn.serial] = nil
    lastSerial += 1
    turn.serial = lastSerial
    turn.toldMonotonicMilliseconds = nil
    openTurns[turn.serial] = path
    untold.append(turn.serial)
    setDeadline(of: turn, at: path, instant.monotonicMilliseconds + limits.turnUntoldMillisecondsMax)
  }

  private mutating func setDeadline(of turn: TurnLine.Turn, at path: Path, _ deadline: Int64) {
    var turn = turn
    turn.deadlineMonotonicMilliseconds = deadline
    lines[path]?.turn = turn
    deadlines.insert(
      DeadlineQueue.Entry(
        deadlineMonotonicMilliseconds: deadline, connection: ConnectionID(rawValue: 0), serial: turn.serial))
  }

  /// The answers of these turns are on their way.
  mutating func told(upTo serial: UInt64, at instant: Instant) {
    let count = untold.prefix { $0 <= serial }.count
    for serial in untold.prefix(count) {
      guard let path = openTurns[serial], var turn = lines[path]?.turn else { continue }
      turn.toldMonotonicMilliseconds = instant.monotonicMilliseconds
      guard turn.deadlineMonotonicMilliseconds != nil else {
        lines[path]?.turn = turn
        continue
      }
      setDeadline(of: turn, at: path, instant.monotonicMilliseconds + turn.windowMilliseconds)
    }
    untold.removeFirst(count)
  }

  // MARK: Use

  /// The place of an open turn that lets somebody write at a path: there or above it.
  func turnPlace(of asker: TurnAsker, holding path: Path) -> Path? {
    for depth in 0...path.count {
      let place = path.prefix(depth)
      if lines[place]?.turn?.members.contains(asker) == true { return place }
    }
    return nil
  }

  /// A connection writes there: it is slow, and not silent, when that is the use of a turn that is over.
  mutating func asks(_ asker: TurnAsker, at path: Path, _ instant: Instant) {
    guard let id = asker.connection, guests[id] != nil else { return }
    guests[id]?.asks(path, at: instant, limits)
  }

  /// Somebody who need not wait was answered to be late: a turn begins, or goes on.
  mutating func answeredLate(_ asker: TurnAsker, at path: Path, _ instant: Instant) {
    guard let place = turnPlace(of: asker, holding: path) else {
      // Written without a turn, for want of room or by one who has none.
      guard !isContended(path), takesPart(asker), hasRoomForLine(at: path) else { return }
      return seat(asker, at: path, instant)
    }
    // Something else was written there meanwhile. That may happen again, but not for ever.
    if lines[place]?.turn?.toldMonotonicMilliseconds != nil { lines[place]?.turn?.lateCount += 1 }
    if lines[place]?.turn?.lateCount ?? 0 > limits.turnLateMax { return leave(asker, at: place) }
    answer(at: place, instant)
  }

  /// A write was decided otherwise.
  ///
  /// - Parameter isDone: It was made, and not refused.
  mutating func answered(_ asker: TurnAsker, at path: Path, isDone: Bool, _ instant: Instant) {
    let place = turnPlace(of: asker, holding: path)
    let turn = place.flatMap { lines[$0]?.turn }
    let elapsed = turn?.toldMonotonicMilliseconds.map { instant.monotonicMilliseconds - $0 }
    if isDone, let id = asker.connection, guests[id] != nil {
      guests[id]?.used(afterMilliseconds: elapsed, given: turn?.windowMilliseconds ?? 0, limits)
    }
    guard let place, let turn else { return }
    guard isDone else { return leave(asker, at: place) }
    if let elapsed {
      let window = limits.turnWindow(max(4 * elapsed, turn.windowMilliseconds / 2))
      lines[place]?.windowMilliseconds = window
    }
    // What the others of the turn have seen is not there any more.
    if let count = lines[place]?.silenceCount, count > 0 { lines[place]?.silenceCount = count - 1 }
    close(at: place)
  }

  /// A member's write is decided beside the others: it has all the time that takes.
  mutating func setAside(_ asker: TurnAsker, at path: Path) {
    guard let place = turnPlace(of: asker, holding: path) else { return }
    lines[place]?.turn?.deadlineMonotonicMilliseconds = nil
  }

  // MARK: End

  /// Turns whose time is over.
  mutating func expire(at instant: Instant) {
    while let first = deadlines.first {
      let path = openTurns[first.serial]
      let turn = path.flatMap { lines[$0]?.turn }
      if let path, let turn, turn.deadlineMonotonicMilliseconds == first.deadlineMonotonicMilliseconds {
        guard first.deadlineMonotonicMilliseconds <= instant.monotonicMilliseconds else { return }
        for id in turn.members.compactMap(\.connection) {
          guests[id]?.passed(path, toldMonotonicMilliseconds: turn.toldMonotonicMilliseconds)
        }
        lines[path]?.silenceCount += 1
        close(at: path)
      }
      _ = deadlines.removeFirst()
    }
  }

  /// A connection is gone.
  mutating func leave(_ id: ConnectionID) {
    guard let guest = guests[id] else { return }
    for path in guest.places {
      leave(.connection(id), at: path)
      stir(around: path)
    }
    guests[id] = nil
  }

  /// Somebody has no use for a turn.
  mutating func leave(_ asker: TurnAsker, at path: Path) {
    guard var turn = lines[path]?.turn, let index = turn.members.firstIndex(of: asker) else { return }
    guard turn.members.count > 1 else { return close(at: path) }
    turn.members.remove(at: index)
    lines[path]?.turn = turn
    if let id = asker.connection { guests[id]?.stake(path, -1) }
  }

  private mutating func close(at path: Path) {
    guard let turn = lines[path]?.turn else { return }
    openTurns[turn.serial] = nil
    for id in turn.members.compactMap(\.connection) { guests[id]?.stake(path, -1) }
    stir(around: path)
    withLine(path) { $0.turn = nil }
  }
}
