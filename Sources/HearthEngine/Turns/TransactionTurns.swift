import HearthTree

/// Turns of transactions that get in each other's way.
///
/// A transaction is a compared write, the answer that it is late, and another compared write, until one holds. When many
/// want the same place, all but one are late each time, and somebody is late for ever. So where one is late while
/// another is about to ask again, the answer waits in a line. It comes at its turn, and for a short while after it no
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
///   answered together, and a connection that lets turns pass has shorter ones, and then none.
/// * All of it is bounded. Where there is no room to wait, a write is decided when it comes.
///
/// It knows nothing of data: the engine tells it what comes, and asks whose turn it is. That the answers of a turn are
/// on their way, and its time begins, is told by whoever makes batches durable.
struct TransactionTurns: Sendable {
  let limits: EngineLimits
  var lines: [Path: TurnLine] = [:]
  /// How many lines stand below a place.
  private(set) var linesBelow: [Path: Int] = [:]
  var guests: [ConnectionID: TurnGuest] = [:]
  /// Lines in which somebody's turn may have come. The last is looked at first.
  private var stirred: [Path] = []

  /// Where the open turns are, by serial.
  var openTurns: [UInt64: Path] = [:]
  /// Turns whose answers are not on their way, in order.
  var untold: [UInt64] = []
  var deadlines = DeadlineQueue()
  /// The last turn whose answers were given.
  var lastSerial: UInt64 = 0
  private var lastSequence: UInt64 = 0
  private var lastGuestSerial: UInt64 = 0

  private(set) var waitingCount = 0
  /// What the writes hold that wait to be decided.
  private(set) var sizeBytes = 0

  init(limits: EngineLimits) { self.limits = limits }

  /// Nobody waits, and nobody has a turn.
  var isIdle: Bool { lines.isEmpty }

  /// When something happens by itself, on the monotonic clock.
  func nextDeadlineMonotonicMilliseconds(at instant: Instant) -> Int64? {
    stirred.isEmpty ? deadlines.first?.deadlineMonotonicMilliseconds : instant.monotonicMilliseconds
  }

  // MARK: Lines

  /// Changes the line at a place, which begins and ends as it is needed.
  mutating func withLine<Result>(_ path: Path, _ body: (inout TurnLine) -> Result) -> Result {
    let isNew = lines[path] == nil
    let result = body(&lines[path, default: TurnLine()])
    let isSpent = lines[path]?.isSpent == true
    if isSpent { lines[path] = nil }
    if isNew != isSpent {
      for depth in 0..<path.count {
        let above = path.prefix(depth)
        let count = linesBelow[above, default: 0] + (isNew ? 1 : -1)
        linesBelow[above] = count > 0 ? count : nil
      }
    }
    return result
  }

  /// Whether there is a line here, or room for one more.
  func hasRoomForLine(at path: Path) -> Bool { lines.count < limits.turnPlacesMax || lines[path] != nil }

  /// The lines at, above and below a place.
  func overlapping(_ path: Path) -> [Path] {
    let atAndAbove = (0...path.count).map { path.prefix($0) }.filter { lines[$0] != nil }
    guard linesBelow[path] != nil else { return atAndAbove }
    return atAndAbove + lines.keys.filter { $0.count > path.count && path.contains($0) }
  }

  /// Whether somebody waits or has a turn at, above or below a place.
  func isContended(_ path: Path) -> Bool {
    linesBelow[path] != nil || (0...path.count).contains { lines[path.prefix($0)] != nil }
  }

  /// Somebody's turn may have come at, above or below a place: whoever waits longest is looked at first.
  mutating func stir(around path: Path) {
    let waiting = overlapping(path).compactMap { path in lines[path]?.first.map { (path, $0.sequence) } }
    stirred += waiting.sorted { $0.1 > $1.1 }.map(\.0)
  }

  // MARK: Guests

  @discardableResult
  mutating func withGuest(_ id: ConnectionID, _ body: (inout TurnGuest) -> Void) -> UInt64 {
    if guests[id] == nil {
      lastGuestSerial += 1
      guests[id] = TurnGuest(serial: lastGuestSerial)
    }
    body(&guests[id, default: TurnGuest(serial: 0)])
    return guests[id]?.serial ?? 0
  }

  /// Whoever let too many turns pass has none before they write something without one.
  func takesPart(_ asker: TurnAsker) -> Bool {
    guard let id = asker.connection, let guest = guests[id] else { return true }
    return guest.silenceCount < limits.turnSilencesMax
  }

  // MARK: Waiting

  /// Whether a compared write must wait.
  ///
  /// - Parameter isLate: nil when that is not known. Of requests of one name, only one that is not late is the use of
  ///   their turn.
  func mustWait(_ asker: TurnAsker, at path: Path, isLate: Bool?) -> Bool {
    guard isContended(path), takesPart(asker) else { return false }
    return turnPlace(of: asker, holding: path) == nil || asker.connection == nil && isLate == true
  }

  /// Has a write wait in the line at a place.
  ///
  /// - Parameters:
  ///   - command: The write, or nil when it is late and is only to be told so.
  ///   - sizeBytes: What the command holds.
  /// - Returns: False when there is no room.
  mutating func wait(
    _ asker: TurnAsker, at path: Path, _ connection: ConnectionID, request: Int32, _ command: Command?, sizeBytes: Int
  ) -> Bool {
    guard waitingCount < limits.turnWaitersMax, self.sizeBytes + sizeBytes <= limits.turnWaitingBytesMax,
      lines[path]?.count ?? 0 < limits.turnWaitersPerPlaceMax, hasRoomForLine(at: path)
    else { return false }
    var guestSerial: UInt64 = 0
    if let id = asker.connection {
      guard guests[id]?.waitingCount ?? 0 < limits.turnWaitersPerConnectionMax else { return false }
      // Who asks around the place of a turn does not use it.
      for place in overlapping(path) where lines[place]?.turn?.members.contains(asker) == true {
        leave(asker, at: place)
      }
      guestSerial = withGuest(id) { guest in
        guest.stake(path, 1)
        guest.waitingCount += 1
        if command != nil { guest.undecidedCount += 1 }
      }
    }
    lastSequence += 1
    let waiter = TurnLine.Waiter(
      sequence: lastSequence, asker: asker, guestSerial: guestSerial, connection: connection, request: request,
      command: command, sizeBytes: sizeBytes)
    withLine(path) { $0.append(waiter) }
    waitingCount += 1
    self.sizeBytes += sizeBytes
    stirred.append(path)
    return true
  }

  /// Takes somebody out whose turn has come, and opens it.
  mutating func next(at instant: Instant) -> (waiter: TurnLine.Waiter, path: Path)? {
    while let path = stirred.last {
      guard let waiter = lines[path]?.first, isTurn(at: path) else {
        stirred.removeLast()
        continue
      }
      let isGone = waiter.asker.connection.map { guests[$0]?.serial != waiter.guestSerial } ?? false
      if !isGone { seat(waiter.asker, at: path, instant) }
      withLine(path) { $0.removeFirst() }
      forget(waiter, at: path)
      // Without a turn, nobody would look when it ends.
      if lines[path]?.turn == nil { stir(around: path) }
      if !isGone { return (waiter, path) }
    }
    return nil
  }

  /// Whether the first who waits at a place is next there, above it and below it.
  private func isTurn(at path: Path) -> Bool {
    guard let line = lines[path], let first = line.first else { return false }
    if let turn = line.turn { return turn.room > 0 }
    return overlapping(path).allSatisfy { place in
      guard place != path, let other = lines[place] else { return true }
      return other.turn == nil && other.first.map { $0.sequence > first.sequence } ?? true
    }
  }

  /// Somebody waits no more.
  private mutating func forget(_ waiter: TurnLine.Waiter, at path: Path) {
    waitingCount -= 1
    settle(waiter)
    guard let id = waiter.asker.connection, guests[id]?.serial == waiter.guestSerial else { return }
    guests[id]?.stake(path, -1)
    guests[id]?.waitingCount -= 1
  }

  /// What a write comes to is settled.
  private mutating func settle(_ waiter: TurnLine.Waiter) {
    sizeBytes -= waiter.sizeBytes
    guard waiter.command != nil, let id = waiter.asker.connection, guests[id]?.serial == waiter.guestSerial else {
      return
    }
    guests[id]?.undecidedCount -= 1
  }

  /// A connection is about to write something else, or to be somebody else: what it asked for before comes before that.
  ///
  /// - Parameter isLate: Whether a write is late by now; then it waits on, and is told so at its turn.
  /// - Returns: The writes to decide now.
  mutating func settle(of id: ConnectionID, isLate: (Command) -> Bool) -> [Command] {
    guard let guest = guests[id], guest.undecidedCount > 0 else { return [] }
    var found: [TurnLine.Waiter] = []
    for path in guest.places {
      let (settled, fresh) = withLine(path) { $0.settle(of: guest.serial, isLate: isLate) }
      for waiter in settled { settle(waiter) }
      for waiter in fresh { forget(waiter, at: path) }
      if !fresh.isEmpty { stir(around: path) }
      found += fresh
    }
    return found.sorted { $0.sequence < $1.sequence }.compactMap(\.command)
  }

  /// Everybody who waits, in order. Nobody waits afterwards, and all turns are over.
  mutating func removeAll() -> [TurnLine.Waiter] {
    let waiters = lines.values.flatMap(\.all).sorted { $0.sequence < $1.sequence }
    let (serial, sequence, guestSerial) = (lastSerial, lastSequence, lastGuestSerial)
    self = TransactionTurns(limits: limits)
    (lastSerial, lastSequence, lastGuestSerial) = (serial, sequence, guestSerial)
    return waiters
  }
}
