import HearthTree

/// Turns of transactions that get in each other's way.
///
/// A transaction is a compared write, the answer that it is late, and another compared write, until one holds. When many
/// want the same place, all but one are late each time, and somebody is late for ever. So where one is late while
/// another is about to ask again, the answer waits in a queue. It comes at its turn, and for a short while after it no
/// other compared write goes first there. Everybody then needs two tries, and one after the other commits.
///
/// * A place is contended with itself, with what is above it and with what is below it. Among those, turns come in
///   the order in which people began to wait; places that do not overlap have their turns at the same time. So a
///   transaction at the root waits for those before it and is not passed by later ones below it, and two counters never
///   wait for each other.
/// * A compared write that is not late, and comes while others wait or have a turn, waits as well. It is decided at its
///   turn, as if it came then: nobody is told to be late who is not.
/// * A turn ends when it is used, when whoever has it leaves or stops listening there, and at its deadline. Plain writes
///   never wait.
/// * Silence costs the others little: each silent turn halves the next one at that place and doubles how many are
///   answered together, and a connection that lets turns pass has shorter ones, and then none. A turn that ends without
///   a commit, because the write is refused or late again and again, counts as one that was let pass. So does each for
///   the user, over all connections: see ``TurnTimeouts``.
/// * All of it is bounded. Where there is no room to wait, a write is decided when it comes.
///
/// It knows nothing of data: the engine tells it what comes, and asks whose turn it is. That the answers of a turn are
/// on their way, and its time begins, is told by whoever makes batches durable.
struct TransactionTurns: Sendable {
  let limits: EngineLimits
  var queues: [Path: TurnQueue] = [:]
  /// The number of queues that stand below a place.
  private(set) var queuesBelow: [Path: Int] = [:]
  var contenders: [ConnectionID: TurnContender] = [:]
  var lapses: TurnTimeouts
  /// Queues in which somebody's turn may have come. The last is looked at first.
  private var unchecked: [Path] = []

  /// Where the open turns are, by serial.
  var openTurns: [UInt64: Path] = [:]
  /// Turns whose answers are not on their way, in order.
  var untold: [UInt64] = []
  var deadlines = DeadlineQueue()
  /// The last turn whose answers were given.
  var lastSerial: UInt64 = 0
  private var lastSequence: UInt64 = 0
  private var lastContenderSerial: UInt64 = 0

  private(set) var waitingCount = 0
  /// What the writes hold that wait to be decided.
  private(set) var sizeBytes = 0

  init(limits: EngineLimits) {
    self.limits = limits
    lapses = TurnTimeouts(limits: limits)
  }

  /// Nobody waits, and nobody has a turn.
  var isIdle: Bool { queues.isEmpty }

  /// When something happens by itself, on the monotonic clock.
  func nextDeadlineMonotonicMilliseconds(at instant: Instant) -> Int64? {
    unchecked.isEmpty ? deadlines.first?.deadlineMonotonicMilliseconds : instant.monotonicMilliseconds
  }

  // MARK: Queues

  /// Changes the queue at a place, which begins and ends as it is needed.
  mutating func withQueue<Result>(_ path: Path, _ body: (inout TurnQueue) -> Result) -> Result {
    let isNew = queues[path] == nil
    let result = body(&queues[path, default: TurnQueue()])
    let isSpent = queues[path]?.isSpent == true
    if isSpent { queues[path] = nil }
    if isNew != isSpent {
      for depth in 0..<path.count {
        let above = path.prefix(depth)
        let count = queuesBelow[above, default: 0] + (isNew ? 1 : -1)
        queuesBelow[above] = count > 0 ? count : nil
      }
    }
    return result
  }

  /// Returns true when there is a queue here, or room for one more.
  func hasRoomForQueue(at path: Path) -> Bool { queues.count < limits.turnPlacesMax || queues[path] != nil }

  /// The queues at, above and below a place.
  func overlapping(_ path: Path) -> [Path] {
    let atAndAbove = (0...path.count).map { path.prefix($0) }.filter { queues[$0] != nil }
    guard queuesBelow[path] != nil else { return atAndAbove }
    return atAndAbove + queues.keys.filter { $0.count > path.count && path.contains($0) }
  }

  /// Returns true when somebody waits or has a turn at, above or below a place.
  func isContended(_ path: Path) -> Bool {
    queuesBelow[path] != nil || (0...path.count).contains { queues[path.prefix($0)] != nil }
  }

  /// Somebody's turn may have come at, above or below a place: whoever waits longest is looked at first.
  mutating func recheck(around path: Path) {
    let waiting = overlapping(path).compactMap { path in queues[path]?.first.map { (path, $0.sequence) } }
    unchecked += waiting.sorted { $0.1 > $1.1 }.map(\.0)
  }

  // MARK: Contenders

  @discardableResult
  mutating func withContender(_ id: ConnectionID, _ body: (inout TurnContender) -> Void) -> UInt64 {
    if contenders[id] == nil {
      lastContenderSerial += 1
      contenders[id] = TurnContender(serial: lastContenderSerial)
    }
    body(&contenders[id, default: TurnContender(serial: 0)])
    return contenders[id]?.serial ?? 0
  }

  /// Returns the number of turns that somebody let pass since they last used one: on this connection, or lately as this
  /// user.
  func silenceCount(of requester: TurnRequester, at instant: Instant) -> Int {
    let known = requester.connection.flatMap { contenders[$0]?.silenceCount } ?? 0
    return max(known, lapses.count(of: requester.user, at: instant))
  }

  /// Whoever let too many turns pass has none before they write something without one.
  func takesPart(_ requester: TurnRequester, at instant: Instant) -> Bool {
    silenceCount(of: requester, at: instant) < limits.turnSilencesMax
  }

  // MARK: Waiting

  /// Returns true when a compared write must wait.
  ///
  /// - Parameter isLate: nil when that is not known. Of requests of one name, only one that is not late is the use of
  ///   their turn.
  func mustWait(_ requester: TurnRequester, at path: Path, isLate: Bool?, _ instant: Instant) -> Bool {
    guard isContended(path), takesPart(requester, at: instant) else { return false }
    return turnPlace(of: requester, holding: path) == nil || requester.connection == nil && isLate == true
  }

  /// Has a write wait in the queue at a place.
  ///
  /// - Parameters:
  ///   - command: The write, or nil when it is late and is only to be told so.
  ///   - sizeBytes: What the command holds.
  /// - Returns: False when there is no room.
  mutating func wait(
    _ requester: TurnRequester, at path: Path, _ connection: ConnectionID, request: Int32, _ command: Command?,
    sizeBytes: Int
  ) -> Bool {
    guard waitingCount < limits.turnWaitersMax, self.sizeBytes + sizeBytes <= limits.turnWaitingBytesMax,
      queues[path]?.count ?? 0 < limits.turnWaitersPerPlaceMax, hasRoomForQueue(at: path)
    else { return false }
    var contenderSerial: UInt64 = 0
    if let id = requester.connection {
      guard contenders[id]?.waitingCount ?? 0 < limits.turnWaitersPerConnectionMax else { return false }
      // Who asks around the place of a turn does not use it.
      for place in overlapping(path) where queues[place]?.turn?.members.contains(requester) == true {
        leave(requester, at: place)
      }
      contenderSerial = withContender(id) { contender in
        contender.count(path, 1)
        contender.waitingCount += 1
        if command != nil { contender.undecidedCount += 1 }
      }
    }
    lastSequence += 1
    let waiter = TurnQueue.Waiter(
      sequence: lastSequence, requester: requester, contenderSerial: contenderSerial, connection: connection,
      request: request,
      command: command, sizeBytes: sizeBytes)
    withQueue(path) { $0.append(waiter) }
    waitingCount += 1
    self.sizeBytes += sizeBytes
    unchecked.append(path)
    return true
  }

  /// Takes somebody out whose turn has come, and opens it.
  mutating func next(at instant: Instant) -> (waiter: TurnQueue.Waiter, path: Path)? {
    while let path = unchecked.last {
      guard let waiter = queues[path]?.first, isTurn(at: path) else {
        unchecked.removeLast()
        continue
      }
      let isGone = waiter.requester.connection.map { contenders[$0]?.serial != waiter.contenderSerial } ?? false
      if !isGone { giveTurn(waiter.requester, at: path, instant) }
      withQueue(path) { $0.removeFirst() }
      forget(waiter, at: path)
      // Without a turn, nobody would look when it ends.
      if queues[path]?.turn == nil { recheck(around: path) }
      if !isGone { return (waiter, path) }
    }
    return nil
  }

  /// Returns true when the first who waits at a place is next there, above it and below it.
  private func isTurn(at path: Path) -> Bool {
    guard let queue = queues[path], let first = queue.first else { return false }
    if let turn = queue.turn { return turn.room > 0 }
    return overlapping(path).allSatisfy { place in
      guard place != path, let other = queues[place] else { return true }
      return other.turn == nil && other.first.map { $0.sequence > first.sequence } ?? true
    }
  }

  /// Somebody waits no more.
  private mutating func forget(_ waiter: TurnQueue.Waiter, at path: Path) {
    waitingCount -= 1
    settle(waiter)
    guard let id = waiter.requester.connection, contenders[id]?.serial == waiter.contenderSerial else { return }
    contenders[id]?.count(path, -1)
    contenders[id]?.waitingCount -= 1
  }

  /// What a write comes to is settled.
  private mutating func settle(_ waiter: TurnQueue.Waiter) {
    sizeBytes -= waiter.sizeBytes
    guard waiter.command != nil, let id = waiter.requester.connection, contenders[id]?.serial == waiter.contenderSerial
    else {
      return
    }
    contenders[id]?.undecidedCount -= 1
  }

  /// A connection is about to write something else, or to be somebody else: what it asked for before comes before that.
  ///
  /// - Parameter isLate: Whether a write is late by now; then it waits on, and is told so at its turn.
  /// - Returns: The writes to decide now.
  mutating func settle(of id: ConnectionID, isLate: (Command) -> Bool) -> [Command] {
    guard let contender = contenders[id], contender.undecidedCount > 0 else { return [] }
    var found: [TurnQueue.Waiter] = []
    for path in contender.places {
      let (settled, fresh) = withQueue(path) { $0.settle(of: contender.serial, isLate: isLate) }
      for waiter in settled { settle(waiter) }
      for waiter in fresh { forget(waiter, at: path) }
      if !fresh.isEmpty { recheck(around: path) }
      found += fresh
    }
    return found.sorted { $0.sequence < $1.sequence }.compactMap(\.command)
  }

  /// Takes out the first write of a connection that is still to be decided and for which `isTaken` holds.
  mutating func takeFirst(of id: ConnectionID, where isTaken: (Command) -> Bool) -> Command? {
    guard let contender = contenders[id], contender.undecidedCount > 0 else { return nil }
    for path in contender.places {
      guard let waiter = withQueue(path, { $0.takeFirst(of: contender.serial, where: isTaken) }) else { continue }
      forget(waiter, at: path)
      recheck(around: path)
      return waiter.command
    }
    return nil
  }

  /// Everybody who waits, in order. Nobody waits afterwards, and all turns are over.
  mutating func removeAll() -> [TurnQueue.Waiter] {
    let waiters = queues.values.flatMap(\.all).sorted { $0.sequence < $1.sequence }
    let (serial, sequence, contenderSerial) = (lastSerial, lastSequence, lastContenderSerial)
    self = TransactionTurns(limits: limits)
    (lastSerial, lastSequence, lastContenderSerial) = (serial, sequence, contenderSerial)
    return waiters
  }
}
