import HearthTree

/// The turns of conflicting transactions.
///
/// A transaction of the SDKs is a compared write that is repeated on the present data after each stale answer, until
/// one matches. When many clients write to the same location, all but one are stale each time, and a slow client may be
/// stale forever. So when a write is stale while another client is about to retry, its answer waits in a queue. It is
/// sent when the client's turn begins, and for a short time no other compared write is decided at that location. Each
/// client then needs two attempts, and they commit in order.
///
/// * A location conflicts with itself, its ancestors and its descendants. Among overlapping locations, turns follow the
///   order in which waiting began; locations that do not overlap have their turns at the same time. So a transaction at
///   the root waits for those before it and is not overtaken by later ones below it, and two counters never wait for
///   each other.
/// * A compared write that is not stale, and arrives while others wait or have a turn, waits as well. It is decided at
///   its turn, as if it arrived then, so that no matching write gets a stale answer.
/// * A turn ends when it is used, when its requester disconnects or stops listening there, and at its deadline. Plain
///   writes never wait.
/// * Expired turns cost others little. Each halves the length of the next turn at that location and doubles the number
///   of writes that share it. A connection that lets turns expire gets shorter ones, and then none. A turn without a
///   commit, because the write is refused or repeatedly stale, counts as expired. Each expired turn also counts for the
///   user, over all connections: see ``TurnTimeouts``.
/// * All queues are bounded. When they are full, a write is decided on arrival.
///
/// This type does not read data: the engine reports requests to it, and takes the next turn from it. The writer of
/// durable batches reports when the answers of a turn have been sent, which starts the turn's time.
struct TransactionTurns: Sendable {
  let limits: EngineLimits
  var queues: [Path: TurnQueue] = [:]
  /// The number of queues below a location.
  private(set) var queuesBelow: [Path: Int] = [:]
  var contenders: [ConnectionID: TurnContender] = [:]
  var timeouts: TurnTimeouts
  /// The locations of queues in which a turn may begin. The last one is checked first.
  private var unchecked: [Path] = []

  /// The locations of open turns, by serial number.
  var openTurns: [UInt64: Path] = [:]
  /// The serial numbers of turns whose answers have not been sent, in order.
  var undelivered: [UInt64] = []
  var deadlines = DeadlineQueue()
  /// The serial number of the last turn.
  var lastSerial: UInt64 = 0
  private var lastSequence: UInt64 = 0
  private var lastContenderSerial: UInt64 = 0

  private(set) var waitingCount = 0
  /// The bytes of the writes that wait to be decided.
  private(set) var sizeBytes = 0

  init(limits: EngineLimits) {
    self.limits = limits
    timeouts = TurnTimeouts(limits: limits)
  }

  /// True when there are no waiting requests and no turns.
  var isIdle: Bool { queues.isEmpty }

  /// Returns the time of the next event, on the monotonic clock, nil when there is none.
  func nextDeadlineMonotonicMilliseconds(at instant: Instant) -> Int64? {
    unchecked.isEmpty ? deadlines.first?.deadlineMonotonicMilliseconds : instant.monotonicMilliseconds
  }

  // MARK: Queues

  /// Changes the queue at a location, which is created and removed on demand.
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

  /// Returns true when there is a queue at the location, or room for one more.
  func hasRoomForQueue(at path: Path) -> Bool { queues.count < limits.turnLocationsMax || queues[path] != nil }

  /// Returns the queues at, above and below a location.
  func overlapping(_ path: Path) -> [Path] {
    let atAndAbove = (0...path.count).map { path.prefix($0) }.filter { queues[$0] != nil }
    guard queuesBelow[path] != nil else { return atAndAbove }
    return atAndAbove + queues.keys.filter { $0.count > path.count && path.contains($0) }
  }

  /// Returns true when there is a waiting request or a turn at, above or below a location.
  func isContended(_ path: Path) -> Bool {
    queuesBelow[path] != nil || (0...path.count).contains { queues[path.prefix($0)] != nil }
  }

  /// Queues the locations at, above and below a location for a check whether a turn can begin, the one with the longest
  /// wait first.
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

  /// Returns the number of turns that a requester let expire since it last used one: on this connection, or recently as
  /// this user.
  func expiredTurnCount(of requester: TurnRequester, at instant: Instant) -> Int {
    let known = requester.connection.flatMap { contenders[$0]?.expiredTurnCount } ?? 0
    return max(known, timeouts.count(of: requester.user, at: instant))
  }

  /// Returns false for a requester that let too many turns expire, until it makes a write without a turn.
  func mayTakeTurn(_ requester: TurnRequester, at instant: Instant) -> Bool {
    expiredTurnCount(of: requester, at: instant) < limits.turnExpiriesMax
  }

  // MARK: Waiting

  /// Returns true when a compared write must wait.
  ///
  /// - Parameter isStale: True when the write is stale; nil when that is unknown. Among requests over HTTP of one user,
  ///   which count as one requester, only a write that is not stale uses the user's turn.
  func mustWait(_ requester: TurnRequester, at path: Path, isStale: Bool?, _ instant: Instant) -> Bool {
    guard isContended(path), mayTakeTurn(requester, at: instant) else { return false }
    return turnLocation(of: requester, holding: path) == nil || requester.connection == nil && isStale == true
  }

  /// Queues a write at a location.
  ///
  /// - Parameters:
  ///   - command: The write; nil when it is stale and only needs its answer.
  ///   - sizeBytes: The size of the command.
  /// - Returns: False when there is no room.
  mutating func wait(
    _ requester: TurnRequester, at path: Path, _ connection: ConnectionID, request: Int32, _ command: Command?,
    sizeBytes: Int
  ) -> Bool {
    guard waitingCount < limits.turnWaitersMax, self.sizeBytes + sizeBytes <= limits.turnWaitingBytesMax,
      queues[path]?.count ?? 0 < limits.turnWaitersPerLocationMax, hasRoomForQueue(at: path)
    else { return false }
    var contenderSerial: UInt64 = 0
    if let id = requester.connection {
      guard contenders[id]?.waitingCount ?? 0 < limits.turnWaitersPerConnectionMax else { return false }
      // A request at a location above or below a turn's location does not use the turn.
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

  /// Removes and returns the next waiting request, and opens its turn.
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
      // A request without a turn causes no later event, so the next check is queued now.
      if queues[path]?.turn == nil { recheck(around: path) }
      if !isGone { return (waiter, path) }
    }
    return nil
  }

  /// Returns true when the first waiting request at a location has waited longest among those at, above and below it,
  /// and no turn there is open.
  private func isTurn(at path: Path) -> Bool {
    guard let queue = queues[path], let first = queue.first else { return false }
    if let turn = queue.turn { return turn.room > 0 }
    return overlapping(path).allSatisfy { place in
      guard place != path, let other = queues[place] else { return true }
      return other.turn == nil && other.first.map { $0.sequence > first.sequence } ?? true
    }
  }

  /// Removes a waiting request.
  private mutating func forget(_ waiter: TurnQueue.Waiter, at path: Path) {
    waitingCount -= 1
    settle(waiter)
    guard let id = waiter.requester.connection, contenders[id]?.serial == waiter.contenderSerial else { return }
    contenders[id]?.count(path, -1)
    contenders[id]?.waitingCount -= 1
  }

  /// Records that a waiting write need not be decided any more.
  private mutating func settle(_ waiter: TurnQueue.Waiter) {
    sizeBytes -= waiter.sizeBytes
    guard waiter.command != nil, let id = waiter.requester.connection, contenders[id]?.serial == waiter.contenderSerial
    else {
      return
    }
    contenders[id]?.undecidedCount -= 1
  }

  /// A waiting write that is not decided yet.
  struct Undecided {
    let sequence: UInt64
    let path: Path
    let command: Command
  }

  /// Returns a connection's undecided writes in the order of arrival.
  func undecided(of id: ConnectionID) -> [Undecided] {
    guard let contender = contenders[id], contender.undecidedCount > 0 else { return [] }
    return contender.places.flatMap { path in
      queues[path]?.undecided(of: contender.serial).map { waiter, command in
        Undecided(sequence: waiter.sequence, path: path, command: command)
      } ?? []
    }.sorted { $0.sequence < $1.sequence }
  }

  /// Records that a waiting write is stale, and only needs its answer at its turn.
  mutating func settle(_ write: Undecided) {
    guard let waiter = withQueue(write.path, { $0.settle(write.sequence) }) else { return }
    settle(waiter)
  }

  /// Removes a waiting write, which is decided now.
  ///
  /// - Returns: False when it no longer waits.
  mutating func take(_ write: Undecided) -> Bool {
    guard let waiter = withQueue(write.path, { $0.take(write.sequence) }) else { return false }
    forget(waiter, at: write.path)
    recheck(around: write.path)
    return true
  }

  /// Removes and returns all waiting requests in order, and ends all turns.
  mutating func removeAll() -> [TurnQueue.Waiter] {
    let waiters = queues.values.flatMap(\.all).sorted { $0.sequence < $1.sequence }
    let (serial, sequence, contenderSerial) = (lastSerial, lastSequence, lastContenderSerial)
    self = TransactionTurns(limits: limits)
    (lastSerial, lastSequence, lastContenderSerial) = (serial, sequence, contenderSerial)
    return waiters
  }
}
