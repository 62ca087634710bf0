import HearthEngine

/// Commands on their way to the engine, in the order in which they will be decided.
///
/// Commands stand in rounds. A round takes a bounded number of commands from each connection and is decided in order of
/// arrival; a connection's excess goes to later rounds. Connections that send little are thus always in the next round,
/// and a connection that sends ten thousand commands at once delays the others by its share of one round. A one-off
/// request belongs to no connection, and is always in the next round.
///
/// The cost of a connection's commands is known once they are decided (see ``charge(_:)``). A connection that has taken
/// more steps than its share of a round skips rounds until it has waited for them: deficit round robin (Shreedhar and
/// Varghese, 1995) over steps. It does not wait when no other connection waits.
struct Mailbox: Sendable {
  /// The round of a connection's last command, and the connection's share of that round.
  private struct Lane {
    var round: UInt64
    var share = 0
  }

  private struct Round {
    var commands: [Command] = []
    var sizeBytes = 0
    /// The arrival time of the first command; 0 when it was not recorded.
    var arrivalNanoseconds: UInt64 = 0
  }

  private struct LateCommands {
    var commands = PendingCommands()
    var sizeBytes = 0
  }

  private let limits: DatabaseLimits
  /// The rounds; those before ``head`` are spent.
  private var rounds: [Round] = []
  private var head = 0
  /// The number of the round at ``head``.
  private var headRound: UInt64 = 0
  /// The number of commands taken from that round.
  private var takenCount = 0
  /// The lanes by connection; only those in future rounds have a meaning.
  private var lanes: [ConnectionID: Lane] = [:]

  /// The steps that connections owe, until ``passedSteps`` reaches their value.
  private var debts: [ConnectionID: Int] = [:]
  /// The steps of the rounds that have passed.
  private var passedSteps = 0
  /// The rounds since paid debts were last removed.
  private var roundsSinceSweep = 0
  /// The commands whose turn came while their account owed too much, by account. They precede those of the same account
  /// in ``rounds``.
  private var late: [ConnectionID: LateCommands] = [:]
  /// The accounts of ``late``, in order, and how many of them the round at ``head`` has served.
  private var lateAccounts: [ConnectionID] = []
  private var lateTurn = 0
  /// The commands that the round has taken from the account at ``lateTurn``.
  private var lateShare = 0
  /// The connections that share the account of the connection that they replace, so that they stay behind it.
  private var accounts: [ConnectionID: ConnectionID] = [:]

  /// The connections that have as many commands at the ``LargeWriteQueue`` as one may have.
  var crowded: Set<ConnectionID> = []

  private(set) var count = 0
  /// The memory of the commands, as stated by their senders.
  private(set) var sizeBytes = 0
  /// The events of a database that follows a log.
  var followed = FollowedEvents()
  /// True when the deciding queue is running or scheduled.
  var isAwake = false
  /// The time the timer is set for, on the monotonic clock.
  var armedMonotonicMilliseconds: Int64?
  /// The arrival time of the first of the commands that were taken last.
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
    var index = commands.startIndex
    var isFarBehind = !crowded.isEmpty && commands.contains { crowded.contains($0.connection) }
    var isInNextRound = true
    while index < commands.endIndex {
      let connection = commands[index].connection
      var lane = lane(of: connection)
      repeat {
        if commands[index].isOneOff {
          isInNextRound = false
        } else {
          if lane.share >= limits.roundCommandsMax { lane = Lane(round: lane.round + 1) }
          lane.share += cost
        }
        put(commands[index], sizeBytes: eachBytes, arrivalNanoseconds, into: lane.round)
        index += 1
      } while index < commands.endIndex && commands[index].connection == connection
      lanes[connection] = lane
      let lateCount = late[account(of: connection)]?.commands.count ?? 0
      let roundCount = Int(lane.round - headRound) + lateCount / limits.roundCommandsMax
      if roundCount >= limits.roundsPendingPerConnectionMax { isFarBehind = true }
      if roundCount > 0 { isInNextRound = false }
    }
    forgetSpentLanes()
    return (isInNextRound ? hasReserve : hasRoom) && !isFarBehind
  }

  private var hasRoom: Bool {
    count <= limits.commandsPendingMax && sizeBytes <= limits.commandBytesPendingMax
  }

  /// True when connections may send more that have nothing pending beyond the next round. Connections with much pending
  /// cannot use up this room.
  private var hasReserve: Bool {
    count <= 2 * limits.commandsPendingMax && sizeBytes <= 2 * limits.commandBytesPendingMax
  }

  /// Queues a connection's future commands behind the present ones of another connection.
  mutating func hold(_ connection: ConnectionID, until other: ConnectionID) {
    let (own, others) = (lane(of: connection), lane(of: other))
    lanes[connection] = others.round > own.round ? Lane(round: others.round) : own
    accounts[connection] = account(of: other)
  }

  /// Removes and returns up to so many commands, to be decided now.
  mutating func take(_ countMax: Int) -> [Command] {
    if isFair { return takeFair(countMax) }
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
    // Half of them, so that the removed ones pay for moving the others.
    if head * 2 >= rounds.count {
      rounds.removeFirst(head)
      head = 0
    }
    if count == 0 { (lanes, accounts) = ([:], [:]) }
    return taken
  }

  private func lane(of connection: ConnectionID) -> Lane {
    guard let lane = lanes[connection], lane.round >= headRound else { return Lane(round: headRound) }
    return lane
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

  /// Removes lanes of spent rounds, which have no meaning, when they outnumber those that may have one.
  private mutating func forgetSpentLanes() {
    guard lanes.count > 2 * count + 1_024 else { return }
    lanes = lanes.filter { $0.value.round >= headRound }
  }
}

// MARK: - Debts

extension Mailbox {
  /// True when a connection owes steps, or waits because of it.
  private var isFair: Bool { !debts.isEmpty || !late.isEmpty }

  /// Records the steps of connections' commands. One-off requests have no lane, and never wait.
  mutating func charge(_ work: [ConnectionWork]) {
    for item in work where item.payer.client == nil {
      let account = account(of: item.payer.connection)
      guard debts[account] != nil || debts.count < limits.debtorsMax else { continue }
      debts[account] = max(debts[account] ?? 0, passedSteps) + item.steps
    }
  }

  /// Puts commands back that were taken and not decided, before all others.
  ///
  /// - Returns: False when no others wait, or no connection has exceeded its share: the commands are then decided at
  ///   once.
  mutating func putBack(_ commands: ArraySlice<Command>, arrivalNanoseconds: UInt64) -> Bool {
    guard count > 0, isFair else { return false }
    if head == rounds.count { rounds.append(Round()) }
    if takenCount > 0 { rounds[head].commands.removeFirst(takenCount) }
    takenCount = 0
    let own = Dictionary(grouping: commands) { isLate($0) ? account(of: $0.connection) : nil }
    for (account, commands) in own {
      if let account {
        late[account]?.commands.prepend(commands)
      } else {
        rounds[head].commands.insert(contentsOf: commands, at: 0)
      }
    }
    rounds[head].arrivalNanoseconds = arrivalNanoseconds
    count += commands.count
    return true
  }

  /// Takes commands like ``take(_:)``, of one round at most and without connections that have exceeded their share:
  /// their commands wait separately, in order.
  private mutating func takeFair(_ countMax: Int) -> [Command] {
    var taken: [Command] = []
    while taken.isEmpty, count > 0 {
      if head == rounds.count { rounds.append(Round()) }
      takenArrivalNanoseconds = rounds[head].arrivalNanoseconds
      takeLate(countMax, into: &taken)
      takeFromRound(countMax, into: &taken)
      let isLeft = lateTurn < lateAccounts.count || takenCount < rounds[head].commands.count
      if isLeft, taken.count >= countMax { break }
      endRound(isIdle: taken.isEmpty)
    }
    count -= taken.count
    if count == 0 { (lanes, accounts, late, lateAccounts, lateTurn, lateShare) = ([:], [:], [:], [], 0, 0) }
    return taken
  }

  /// Takes a share of each account whose commands waited and that now owes little.
  private mutating func takeLate(_ countMax: Int, into taken: inout [Command]) {
    while lateTurn < lateAccounts.count, taken.count < countMax {
      let account = lateAccounts[lateTurn]
      let room = min(limits.roundCommandsMax - lateShare, countMax - taken.count)
      if room > 0, !isInDebt(account), let waiting = late[account], waiting.commands.count > 0 {
        let part = late[account]?.commands.take(room) ?? []
        let bytes = waiting.sizeBytes / waiting.commands.count * part.count
        late[account]?.sizeBytes -= bytes
        sizeBytes -= bytes
        taken += part
        lateShare += part.count
      } else {
        (lateTurn, lateShare) = (lateTurn + 1, 0)
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
      let account = account(of: command.connection)
      if isLate(command) || !command.isOneOff && isInDebt(account) {
        if late[account] == nil { lateAccounts.append(account) }
        late[account, default: LateCommands()].commands.append(command)
        late[account]?.sizeBytes += eachBytes
      } else {
        taken.append(command)
        sizeBytes -= eachBytes
      }
    }
  }

  /// Advances to the next round. Every debt decreases by one share; when all accounts owe too much, by enough to let
  /// one continue.
  private mutating func endRound(isIdle: Bool) {
    sizeBytes -= rounds[head].sizeBytes
    rounds[head] = Round()
    (head, headRound, takenCount) = (head + 1, headRound + 1, 0)
    if head * 2 >= rounds.count {
      rounds.removeFirst(head)
      head = 0
    }
    for account in lateAccounts where late[account]?.commands.count == 0 {
      sizeBytes -= late.removeValue(forKey: account)?.sizeBytes ?? 0
    }
    lateAccounts.removeAll { late[$0] == nil }
    (lateTurn, lateShare) = (0, 0)
    let least = isIdle ? lateAccounts.map { (debts[$0] ?? 0) - passedSteps }.min() ?? 0 : 0
    passedSteps += max(limits.roundSteps, least - limits.roundSteps)
    roundsSinceSweep += 1
    // Paced so that it takes no longer than the rounds do.
    guard roundsSinceSweep >= debts.count else { return }
    debts = debts.filter { $0.value > passedSteps }
    roundsSinceSweep = 0
  }

  /// Returns true when a command follows others of its account that wait separately.
  private func isLate(_ command: Command) -> Bool {
    !command.isOneOff && !late.isEmpty && late[account(of: command.connection)] != nil
  }

  private func isInDebt(_ account: ConnectionID) -> Bool {
    (debts[account] ?? 0) - passedSteps > limits.roundSteps
  }

  private func account(of connection: ConnectionID) -> ConnectionID { accounts[connection] ?? connection }
}

extension Command {
  /// A command that applies expired timers and decides the next listens in doubt.
  static var tick: Command { Command(connection: ConnectionID(rawValue: 0), action: .tick) }

  /// True for a command from an HTTP request or a timer; exempt from per-connection fairness.
  var isOneOff: Bool {
    if principal != nil { return true }
    switch action {
    case .tick, .turnsTold: return true
    default: return false
    }
  }
}
