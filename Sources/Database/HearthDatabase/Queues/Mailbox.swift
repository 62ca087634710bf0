import HearthEngine

/// Commands on their way to the engine, in the order in which they will be decided.
///
/// They stand in rounds. A round takes a bounded number of commands from each connection and is decided in the order in
/// which they came; what a connection sends beyond that goes to later rounds. So all who send little are in the round
/// that is next, and one who sends ten thousand commands at once makes the others wait for one round's worth of them. A
/// one-off request is nobody's, and always in the round that is next.
///
/// What a connection's commands cost is known once they are decided (see ``charge(_:)``). One that has taken more steps than
/// a round gives it passes rounds until it has waited for them: deficit round robin (Shreedhar and Varghese, 1995) over
/// steps. Where nobody else waits it does not wait either.
struct Mailbox: Sendable {
  /// Where a connection's last command stands, and how much of that round the connection has taken.
  private struct Lane {
    var round: UInt64
    var share = 0
  }

  private struct Round {
    var commands: [Command] = []
    var sizeBytes = 0
    /// The time when the first of them came; 0 when nobody noted it.
    var arrivalNanoseconds: UInt64 = 0
  }

  private struct LateCommands {
    var commands = PendingCommands()
    var sizeBytes = 0
  }

  private let limits: DatabaseLimits
  /// Those before ``head`` are spent.
  private var rounds: [Round] = []
  private var head = 0
  /// The number of the round at ``head``.
  private var headRound: UInt64 = 0
  /// How many commands of that round were taken.
  private var takenCount = 0
  /// Only those in rounds to come mean anything.
  private var lanes: [ConnectionID: Lane] = [:]

  /// Steps that connections have taken and whose rounds are still to pass: they are owed until ``passedSteps`` is as much.
  private var debts: [ConnectionID: Int] = [:]
  /// The steps of the rounds that have passed.
  private var passedSteps = 0
  /// Rounds since debts that are paid were last forgotten.
  private var roundsSinceSweep = 0
  /// Commands that came up while much was owed, by account. They come before those of the same account in ``rounds``.
  private var late: [ConnectionID: LateCommands] = [:]
  /// The accounts of ``late``, in order, and how many of them the round at ``head`` has had.
  private var lateAccounts: [ConnectionID] = []
  private var lateTurn = 0
  /// Commands that the round has taken from the account at ``lateTurn``.
  private var lateShare = 0
  /// Connections that share what is noted of the one that they replace, so that they stay behind it.
  private var accounts: [ConnectionID: ConnectionID] = [:]

  /// Connections that have as many commands at the ``LargeWriteQueue`` as one may have.
  var crowded: Set<ConnectionID> = []

  private(set) var count = 0
  /// What the senders say that the commands hold.
  private(set) var sizeBytes = 0
  /// What happened to a database that follows a log.
  var followed = FollowedEvents()
  /// The deciding queue is at work, or about to be.
  var isAwake = false
  /// The moment the timer is set for, on the monotonic clock.
  var armedMonotonicMilliseconds: Int64?
  /// The time when the first of the commands came that were taken last.
  private(set) var takenArrivalNanoseconds: UInt64 = 0

  init(limits: DatabaseLimits) { self.limits = limits }

  /// Takes commands in.
  ///
  /// - Parameter arrivalNanoseconds: when they came; 0 when nobody measures.
  /// - Returns: Whether the sender may send more.
  mutating func append(_ commands: [Command], sizeBytes: Int, arrivalNanoseconds: UInt64 = 0) -> Bool {
    guard !commands.isEmpty else { return hasRoom }
    let eachBytes = sizeBytes / commands.count
    let cost = 1 + eachBytes / max(1, limits.roundBytesPerCommand)
    var index = commands.startIndex
    var isFarBehind = !crowded.isEmpty && commands.contains { crowded.contains($0.connection) }
    while index < commands.endIndex {
      let connection = commands[index].connection
      var lane = lane(of: connection)
      repeat {
        if !commands[index].isOneOff {
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
    }
    forgetSpentLanes()
    return hasRoom && !isFarBehind
  }

  private var hasRoom: Bool {
    count <= limits.commandsPendingMax && sizeBytes <= limits.commandBytesPendingMax
  }

  /// Lets the commands of one connection that are still to come stand behind those of another that are here.
  mutating func hold(_ connection: ConnectionID, until other: ConnectionID) {
    let (own, others) = (lane(of: connection), lane(of: other))
    lanes[connection] = others.round > own.round ? Lane(round: others.round) : own
    accounts[connection] = account(of: other)
  }

  /// Takes out up to so many commands, to be decided now.
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
    // Half of them, so that moving the others is paid for by those that are gone.
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

  /// A lane of a spent round says nothing. They go when they are more than those that may say something.
  private mutating func forgetSpentLanes() {
    guard lanes.count > 2 * count + 1_024 else { return }
    lanes = lanes.filter { $0.value.round >= headRound }
  }
}

// MARK: - Debts

extension Mailbox {
  /// A connection owes steps, or waits because of it.
  private var isFair: Bool { !debts.isEmpty || !late.isEmpty }

  /// Notes what connections' commands took. One-off requests have no lane, and wait for none.
  mutating func charge(_ work: [ConnectionWork]) {
    for item in work where item.payer.client == nil {
      let account = account(of: item.payer.connection)
      guard debts[account] != nil || debts.count < limits.debtorsMax else { continue }
      debts[account] = max(debts[account] ?? 0, passedSteps) + item.steps
    }
  }

  /// Puts commands back that were taken and not decided, before all others.
  ///
  /// - Returns: False when no others wait, or nobody has taken more than others: then they are decided at once.
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

  /// The same as ``take(_:)`` for one round at most, without the commands of connections that have taken more than their
  /// share: these wait by themselves, in their order.
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

  /// Takes a share of each account whose commands waited and that owes little by now.
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

  /// Goes on to the next round. Every debt is less by one share; where nobody had none, by as much as lets one go on.
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
    // As often as it takes no longer than the rounds do.
    guard roundsSinceSweep >= debts.count else { return }
    debts = debts.filter { $0.value > passedSteps }
    roundsSinceSweep = 0
  }

  /// Returns true when a command comes after others of its account that wait by themselves.
  private func isLate(_ command: Command) -> Bool {
    !command.isOneOff && !late.isEmpty && late[account(of: command.connection)] != nil
  }

  private func isInDebt(_ account: ConnectionID) -> Bool {
    (debts[account] ?? 0) - passedSteps > limits.roundSteps
  }

  private func account(of connection: ConnectionID) -> ConnectionID { accounts[connection] ?? connection }
}

extension Command {
  /// Nothing but the time, and the next listens in doubt.
  static var tick: Command { Command(connection: ConnectionID(rawValue: 0), action: .tick) }

  /// Asked by nobody who could ask for much more: by a request over HTTP, or by time.
  var isOneOff: Bool {
    if principal != nil { return true }
    switch action {
    case .tick, .turnsTold: return true
    default: return false
    }
  }
}
