import HearthEngine

/// Commands on their way to the engine, in the order in which they will be decided.
///
/// Commands are divided into rounds. A round takes a bounded number of commands from each connection and is decided in
/// order of arrival; a connection's excess goes to later rounds. Connections that send little are thus always in the
/// next round, and a connection that sends ten thousand commands at once delays the others by its share of one round. A
/// one-off request belongs to no connection, and is always in the next round.
///
/// The cost of a connection's commands is known once they are decided (see ``charge(_:)``). A connection that has taken
/// more steps than its share of a round skips rounds until it has waited for them: deficit round robin (Shreedhar and
/// Varghese, 1995) over steps. It skips no round while no other connection has commands. In a round, the commands of
/// connections with expensive commands come last, because one of them may fill a batch: the others then wait for one
/// batch, and not for all of these connections.
struct Mailbox: Sendable {
  /// The round of a connection's last command, and the part of its share of that round that is used.
  private struct RoundPosition {
    var round: UInt64
    var share = 0
  }

  private struct Round {
    var commands: [Command] = []
    var sizeBytes = 0
    /// The arrival time of the first command; 0 when it was not recorded.
    var arrivalNanoseconds: UInt64 = 0
  }

  private struct DeferredCommands {
    var commands = PendingCommands()
    var sizeBytes = 0
  }

  private let limits: DatabaseLimits
  /// The rounds; those before ``head`` are completely taken.
  private var rounds: [Round] = []
  private var head = 0
  /// The number of the round at ``head``.
  private var headRound: UInt64 = 0
  /// The number of commands taken from that round.
  private var takenCount = 0
  /// The positions by connection; only positions in the round at ``head`` or later have a meaning.
  private var positions: [ConnectionID: RoundPosition] = [:]

  /// The value of ``passedSteps`` at which each payer's debt is paid. Paid debts are kept for
  /// ``DatabaseLimits/debtRounds``.
  private var debts: [ConnectionID: Int] = [:]
  /// The sum of ``DatabaseLimits/roundSteps`` over the rounds that have passed.
  private var passedSteps = 0
  /// The rounds since paid debts were last removed.
  private var roundsSinceSweep = 0
  /// The commands whose turn came while their payer had a debt, or had paid one lately, by payer. They precede those of
  /// the same payer in ``rounds``.
  private var deferred: [ConnectionID: DeferredCommands] = [:]
  /// The payers of ``deferred``, in order, and how many of them the round at ``head`` has served.
  private var deferredPayers: [ConnectionID] = []
  private var deferredIndex = 0
  /// The number of commands that the round has taken from the payer at ``deferredIndex``.
  private var deferredShare = 0
  /// The payers whose deferred commands are in the last result of ``take(_:)``.
  private var takenPayers: Set<ConnectionID> = []
  /// The number of their commands in it.
  private var takenDeferredCount = 0
  /// True when the next round begins with a deferred command, because the last one had time for none.
  private var isDeferredFirst = false
  /// True when the last result began so.
  private var wasDeferredFirst = false
  /// True when a command of the round at ``head`` was taken, or a deferred one in it.
  private var hasTakenInRound = false
  /// The payers of connections that replaced another one: the replaced connection. The new connection shares its debt,
  /// and its commands stay behind those of the old one. Every other connection is its own payer.
  private var payers: [ConnectionID: ConnectionID] = [:]

  /// The connections from which the server stops reading, because they reached the limit of waiting commands in
  /// ``LargeCommandScheduler``.
  var pausedConnections: Set<ConnectionID> = []

  private(set) var count = 0
  /// The memory of the commands, as stated by their senders.
  private(set) var sizeBytes = 0
  /// The events of a database that follows a log.
  var followed = ReplicationEventQueue()
  /// True when the deciding queue is running or scheduled.
  var isAwake = false
  /// The time the timer is set for, on the monotonic clock.
  var armedMonotonicMilliseconds: Int64?
  /// The arrival time of the first command in the last result of ``take(_:)``.
  private(set) var takenArrivalNanoseconds: UInt64 = 0

  init(limits: DatabaseLimits) { self.limits = limits }

  /// Appends commands.
  ///
  /// - Parameter arrivalNanoseconds: The time of arrival; 0 when metrics are off.
  /// - Returns: True when the sender may send more.
  mutating func append(_ commands: [Command], sizeBytes: Int, arrivalNanoseconds: UInt64 = 0) -> Bool {
    guard !commands.isEmpty else { return hasRoom }
    let eachBytes = sizeBytes / commands.count
    let cost = 1 + eachBytes / max(1, limits.roundBytesPerCommand)
    let shareMax = commandsPerRound
    var index = commands.startIndex
    var isFarBehind = !pausedConnections.isEmpty && commands.contains { pausedConnections.contains($0.connection) }
    var isInNextRound = true
    while index < commands.endIndex {
      let connection = commands[index].connection
      var position = position(of: connection)
      repeat {
        if commands[index].isOneOff {
          isInNextRound = false
        } else {
          if position.share >= shareMax { position = RoundPosition(round: position.round + 1) }
          position.share += cost
        }
        put(commands[index], sizeBytes: eachBytes, arrivalNanoseconds, into: position.round)
        index += 1
      } while index < commands.endIndex && commands[index].connection == connection
      positions[connection] = position
      let deferredCount = deferred[payer(of: connection)]?.commands.count ?? 0
      let roundCount = Int(position.round - headRound) + deferredCount / limits.roundCommandsMax
      if roundCount >= limits.roundsPendingPerConnectionMax { isFarBehind = true }
      if roundCount > 0 { isInNextRound = false }
    }
    removeSpentPositions()
    return (isInNextRound ? hasReserve : hasRoom) && !isFarBehind
  }

  /// The commands of one connection in a round: the fewer, the more connections have commands.
  private var commandsPerRound: Int {
    min(limits.roundCommandsMax, max(limits.roundCommandsMin, limits.roundCommandsAllMax / max(1, positions.count)))
  }

  private var hasRoom: Bool {
    count <= limits.commandsPendingMax && sizeBytes <= limits.commandBytesPendingMax
  }

  /// True when there is room for a connection that has nothing pending beyond the next round. This room is reserved:
  /// connections with more pending cannot use it.
  private var hasReserve: Bool {
    count <= 2 * limits.commandsPendingMax && sizeBytes <= 2 * limits.commandBytesPendingMax
  }

  /// Keeps a connection's later commands behind the queued commands of the connection that it replaced.
  mutating func hold(_ connection: ConnectionID, until other: ConnectionID) {
    let (own, others) = (position(of: connection), position(of: other))
    positions[connection] = others.round > own.round ? RoundPosition(round: others.round) : own
    payers[connection] = payer(of: other)
  }

  /// Removes and returns up to `countMax` commands, to be decided now.
  mutating func take(_ countMax: Int) -> [Command] {
    (takenPayers, takenDeferredCount) = ([], 0)
    if hasDebtors { return takeWithoutDebtors(countMax) }
    var taken: [Command] = []
    takenArrivalNanoseconds = head < rounds.count ? rounds[head].arrivalNanoseconds : 0
    while taken.count < countMax, head < rounds.count {
      let left = rounds[head].commands.count - takenCount
      guard left <= countMax - taken.count else {
        let part = countMax - taken.count
        taken += rounds[head].commands[takenCount..<takenCount + part]
        let partBytes = rounds[head].sizeBytes / left * part
        rounds[head].sizeBytes -= partBytes
        sizeBytes -= partBytes
        takenCount += part
        break
      }
      if taken.isEmpty, takenCount == 0 {
        taken = rounds[head].commands
      } else {
        taken += rounds[head].commands[takenCount...]
      }
      sizeBytes -= rounds[head].sizeBytes
      rounds[head] = Round()
      (head, headRound, takenCount) = (head + 1, headRound + 1, 0)
    }
    count -= taken.count
    // Removes them only when they are half of all rounds: moving the others then takes amortized constant time per
    // round.
    if head * 2 >= rounds.count {
      rounds.removeFirst(head)
      head = 0
    }
    if count == 0 { (positions, payers) = ([:], [:]) }
    return taken
  }

  private func position(of connection: ConnectionID) -> RoundPosition {
    guard let position = positions[connection], position.round >= headRound else {
      return RoundPosition(round: headRound)
    }
    return position
  }

  private mutating func put(
    _ command: Command, sizeBytes bytes: Int, _ arrivalNanoseconds: UInt64, into round: UInt64
  ) {
    let index = head + Int(round - headRound)
    while rounds.count <= index { rounds.append(Round()) }
    if rounds[index].commands.isEmpty { rounds[index].arrivalNanoseconds = arrivalNanoseconds }
    rounds[index].commands.append(command)
    rounds[index].sizeBytes += bytes
    count += 1
    sizeBytes += bytes
  }

  /// Removes the positions in rounds that were taken, when they outnumber the others.
  private mutating func removeSpentPositions() {
    guard positions.count > 2 * count + 1_024 else { return }
    positions = positions.filter { $0.value.round >= headRound }
  }
}

// MARK: - Debts

extension Mailbox {
  /// True when a connection has a debt, or commands that are deferred because of one.
  private var hasDebtors: Bool { !debts.isEmpty || !deferred.isEmpty }

  /// Records the steps of connections' commands. One-off requests have no position, and never wait.
  mutating func charge(_ work: [ConnectionWork]) {
    for item in work where item.payer.client == nil {
      let payer = payer(of: item.payer.connection)
      guard debts[payer] != nil || debts.count < limits.debtorsMax else { continue }
      debts[payer] = max(debts[payer] ?? 0, passedSteps) + item.steps
    }
  }

  /// Puts commands back that were taken and not decided, before all others.
  ///
  /// - Returns: False when no others wait, or no connection has exceeded its share: the commands are then decided at
  ///   once.
  mutating func putBack(_ commands: ArraySlice<Command>, arrivalNanoseconds: UInt64) -> Bool {
    guard count > 0, hasDebtors else { return false }
    if head == rounds.count { rounds.append(Round()) }
    if takenCount > 0 { rounds[head].commands.removeFirst(takenCount) }
    takenCount = 0
    let own = Dictionary(grouping: commands) { command -> ConnectionID? in
      let payer = payer(of: command.connection)
      return !command.isOneOff && takenPayers.contains(payer) || isDeferred(command) ? payer : nil
    }
    var (inOrder, seen) = ([ConnectionID](), Set<ConnectionID>())
    for command in commands where !command.isOneOff {
      let payer = payer(of: command.connection)
      if own[payer] != nil, seen.insert(payer).inserted { inOrder.append(payer) }
    }
    for payer in inOrder { deferred[payer, default: DeferredCommands()].commands.prepend(own[payer] ?? []) }
    deferredPayers = inOrder + deferredPayers.filter { own[$0] == nil }
    let others = own[nil] ?? []
    rounds[head].commands.insert(contentsOf: others, at: 0)
    let hadTimeForNone = takenDeferredCount > 0 && commands.count - others.count >= takenDeferredCount
    isDeferredFirst = hadTimeForNone && !wasDeferredFirst
    rounds[head].arrivalNanoseconds = arrivalNanoseconds
    count += commands.count
    return true
  }

  /// Takes commands like ``take(_:)``, of one round at most. Commands of connections with recorded debts are deferred, in
  /// order, and taken after the others once the debt is paid.
  private mutating func takeWithoutDebtors(_ countMax: Int) -> [Command] {
    var taken: [Command] = []
    (wasDeferredFirst, isDeferredFirst) = (isDeferredFirst, false)
    while taken.isEmpty, count > 0 {
      if head == rounds.count { rounds.append(Round()) }
      takenArrivalNanoseconds = rounds[head].arrivalNanoseconds
      if wasDeferredFirst { takeDeferred(1, into: &taken) }
      takeFromRound(countMax, into: &taken)
      takeDeferred(countMax, into: &taken)
      if !taken.isEmpty { hasTakenInRound = true }
      let isLeft = deferredIndex < deferredPayers.count || takenCount < rounds[head].commands.count
      if isLeft, taken.count >= countMax { break }
      endRound()
    }
    count -= taken.count
    if count == 0 {
      (positions, payers, deferred, deferredPayers, deferredIndex, deferredShare) = ([:], [:], [:], [], 0, 0)
    }
    return taken
  }

  /// Takes a share of the deferred commands of each payer that no longer owes too much.
  private mutating func takeDeferred(_ countMax: Int, into taken: inout [Command]) {
    while deferredIndex < deferredPayers.count, taken.count < countMax {
      let payer = deferredPayers[deferredIndex]
      let room = min(limits.roundCommandsMax - deferredShare, countMax - taken.count)
      if room > 0, !isInDebt(payer), let waiting = deferred[payer], waiting.commands.count > 0 {
        let part = deferred[payer]?.commands.take(room) ?? []
        let bytes = waiting.sizeBytes / waiting.commands.count * part.count
        deferred[payer]?.sizeBytes -= bytes
        sizeBytes -= bytes
        taken += part
        deferredShare += part.count
        takenDeferredCount += part.count
        takenPayers.insert(payer)
      } else {
        (deferredIndex, deferredShare) = (deferredIndex + 1, 0)
      }
    }
  }

  private mutating func takeFromRound(_ countMax: Int, into taken: inout [Command]) {
    let left = rounds[head].commands.count - takenCount
    guard left > 0, taken.count < countMax else { return }
    let eachBytes = rounds[head].sizeBytes / left
    while takenCount < rounds[head].commands.count, taken.count < countMax {
      let command = rounds[head].commands[takenCount]
      takenCount += 1
      rounds[head].sizeBytes -= eachBytes
      let payer = payer(of: command.connection)
      if isDeferred(command) || !command.isOneOff && debts[payer] != nil {
        if deferred[payer] == nil { deferredPayers.append(payer) }
        deferred[payer, default: DeferredCommands()].commands.append(command)
        deferred[payer]?.sizeBytes += eachBytes
      } else {
        taken.append(command)
        sizeBytes -= eachBytes
      }
    }
  }

  /// Advances to the next round. Every debt decreases by one share; if no command could be taken because all payers are
  /// in debt, by enough to let one of them continue.
  private mutating func endRound() {
    let isIdle = !hasTakenInRound && head + 1 >= rounds.count
    hasTakenInRound = false
    sizeBytes -= rounds[head].sizeBytes
    rounds[head] = Round()
    (head, headRound, takenCount) = (head + 1, headRound + 1, 0)
    if head * 2 >= rounds.count {
      rounds.removeFirst(head)
      head = 0
    }
    for payer in deferredPayers where deferred[payer]?.commands.count == 0 {
      sizeBytes -= deferred.removeValue(forKey: payer)?.sizeBytes ?? 0
    }
    deferredPayers.removeAll { deferred[$0] == nil }
    (deferredIndex, deferredShare) = (0, 0)
    let least = isIdle ? deferredPayers.map { (debts[$0] ?? 0) - passedSteps }.min() ?? 0 : 0
    passedSteps += max(limits.roundSteps, least - limits.roundSteps)
    roundsSinceSweep += 1
    // Only after as many rounds as there are debts: the sweep then takes amortized constant time per round.
    guard roundsSinceSweep >= debts.count else { return }
    debts = debts.filter { $0.value + limits.debtRounds * limits.roundSteps > passedSteps }
    roundsSinceSweep = 0
  }

  /// Returns true when a command follows deferred commands of its payer.
  private func isDeferred(_ command: Command) -> Bool {
    !command.isOneOff && !deferred.isEmpty && deferred[payer(of: command.connection)] != nil
  }

  private func isInDebt(_ payer: ConnectionID) -> Bool {
    (debts[payer] ?? 0) - passedSteps > limits.roundSteps
  }

  private func payer(of connection: ConnectionID) -> ConnectionID { payers[connection] ?? connection }
}

extension Command {
  /// A command that only lets the engine apply expired timers, and decide again listens whose permission may have
  /// changed.
  static var tick: Command { Command(connection: ConnectionID(rawValue: 0), action: .tick) }

  /// True for a command from an HTTP request or a timer; exempt from per-connection fairness.
  var isOneOff: Bool {
    if principal != nil { return true }
    switch action {
    case .tick, .turnsDelivered: return true
    default: return false
    }
  }
}
