import HearthEngine
import HearthTree

/// The large commands that run in parallel to the deciding queue, and the commands that must not overtake them.
///
/// One worker runs writes, another runs comparisons and queries. Commands that wait for a worker take turns: see
/// ``LargeCommandQueue``. Later commands of the same connection wait, and so do writes to the locations that the
/// current large write replaces or, after a conflict, reads. All other commands continue. The writes that waited for a
/// location precede the next large write.
struct LargeCommandScheduler: Sendable {
  /// The workers.
  enum Worker: Int, Sendable, CaseIterable {
    case writes, reads

    init(_ work: LargeCommand) {
      switch work {
      case .write: self = .writes
      case .comparison, .query: self = .reads
      }
    }
  }

  /// The location and query whose result a listen needs from a background comparison or evaluation.
  private struct ListenTarget: Hashable, Sendable {
    let path: Path
    let query: Query?

    init?(_ command: Command) {
      guard case .listen(let request) = command.action else { return nil }
      (path, query) = (request.path, request.query)
    }
  }

  /// The command that a worker runs, or is about to run.
  private struct RunningCommand: Sendable {
    let command: Command
    let client: ShareClaimant
    var places = LocationSet()
    var attemptCount = 1
  }

  /// The origin of commands that are to be decided.
  enum Source: Sendable {
    /// The mailbox.
    case mailbox
    /// The queue of a connection, whose commands waited for an earlier one.
    case connectionQueue
    /// The commands that waited for another client's command.
    case unblocked
  }

  /// The time at which a large command starts.
  enum Start: Sendable {
    /// The worker starts it.
    case now
    /// The command waits for its turn.
    case later
    /// Too many listens wait to be compared: the command is answered with the whole value.
    case sendsWholeValue
  }

  private let limits: DatabaseLimits
  private var runningCommands: [Worker: RunningCommand] = [:]
  private var queues: [Worker: LargeCommandQueue] = [:]
  /// The connections with a listen that waits for its comparison: at most one listen each, since the connection's later
  /// commands wait for it.
  private var compared: Set<ConnectionID> = []
  /// The comparisons and queries that wait or are under way, with further listens that need the same outcome.
  private var followers: [ListenTarget: [Command]] = [:]
  /// The writes that wait for the locations of the current large write.
  private var waitingForLocation: [Command] = []
  /// The commands that waited for another client's command, and precede the next large write.
  private var unblocked = PendingCommands()

  /// The number of a connection's commands that are large, or wait for a location. While it is not zero, the others
  /// wait in ``waitingByConnection``.
  private var blockingCounts: [ConnectionID: Int] = [:]
  /// The waiting commands by connection; no queue is empty.
  private var waitingByConnection: [ConnectionID: PendingCommands] = [:]
  /// The connections whose queued commands may be decided.
  private var ready: [ConnectionID] = []
  /// The connections whose queues have reached the limit for one connection, and from which the server stops reading.
  private var pausedConnections: Set<ConnectionID> = []
  private var havePausedConnectionsChanged = false
  /// The reconnections: each old connection with the new one, whose commands wait until the end of the old one is
  /// decided; ``predecessors`` has the reverse direction.
  private var successors: [ConnectionID: ConnectionID] = [:]
  private var predecessors: [ConnectionID: ConnectionID] = [:]

  private(set) var waitingCount = 0

  init(limits: DatabaseLimits) { self.limits = limits }

  var isIdle: Bool { waitingCount == 0 && runningCommands.isEmpty }

  // MARK: Workers

  /// Adds a large command that the engine did not decide.
  ///
  /// - Parameter source: The origin; a listen that already waited for another one's comparison does not wait again.
  mutating func begin(_ work: LargeCommand, of client: ShareClaimant, from source: Source) -> Start {
    let (worker, command) = (Worker(work), work.command)
    if isFree(worker), queues[worker, default: LargeCommandQueue()].count == 0,
      worker != .writes || unblocked.count == 0
    {
      hold(command)
      runningCommands[worker] = RunningCommand(command: command, client: client, places: work.places)
      if let place = ListenTarget(command) { followers[place] = followers[place] ?? [] }
      return .now
    }
    if let place = ListenTarget(command) {
      if work.isShared, source != .unblocked, followers[place] != nil {
        followers[place]?.append(command)
        queues[worker, default: LargeCommandQueue()].join(WorkPayer(command), of: client) { ListenTarget($0) == place }
        return wait(command)
      }
      if case .comparison = work {
        guard compared.count < limits.comparedListensWaitingMax else { return .sendsWholeValue }
        compared.insert(command.connection)
      }
      followers[place] = followers[place] ?? []
    }
    queues[worker, default: LargeCommandQueue()].append(command, of: client)
    return wait(command)
  }

  private mutating func wait(_ command: Command) -> Start {
    hold(command)
    waitingCount += 1
    return .later
  }

  private func isFree(_ worker: Worker) -> Bool { runningCommands[worker] == nil }

  /// Returns true while a worker runs a command, or is reserved for one.
  func isRunning(_ worker: Worker) -> Bool { !isFree(worker) }

  /// Returns the next command for a free worker, which stays reserved for that command until ``finish(_:steps:)``. The
  /// caller decides the command again, on the present state.
  mutating func next(for worker: Worker) -> Command? {
    guard isFree(worker), worker != .writes || unblocked.count == 0,
      let (command, client) = queues[worker]?.popFirst()
    else { return nil }
    compared.remove(command.connection)
    waitingCount -= 1
    runningCommands[worker] = RunningCommand(command: command, client: client)
    return command
  }

  /// Starts the command that a worker is reserved for.
  ///
  /// - Returns: False when the worker is reserved for another command.
  mutating func takeReserved(_ work: LargeCommand) -> Bool {
    let (worker, command) = (Worker(work), work.command)
    guard let current = runningCommands[worker]?.command, current.connection == command.connection,
      current.request == command.request, current.isOneOff == command.isOneOff
    else { return false }
    runningCommands[worker]?.places = work.places
    return true
  }

  /// Retries a command; other writes may no longer change the locations that it read.
  ///
  /// - Returns: False after ``DatabaseLimits/largeWriteAttemptsMax`` attempts: the command must be decided on the
  ///   deciding queue.
  mutating func retry(_ worker: Worker, without places: LocationSet = LocationSet(), steps: Int) -> Bool {
    charge(steps, to: worker)
    guard var current = runningCommands[worker], current.attemptCount < limits.largeWriteAttemptsMax else {
      return false
    }
    current.attemptCount += 1
    current.places.formUnion(places)
    runningCommands[worker] = current
    return true
  }

  private mutating func charge(_ steps: Int, to worker: Worker) {
    guard let current = runningCommands[worker] else { return }
    queues[worker, default: LargeCommandQueue()].charge(steps, to: WorkPayer(current.command), of: current.client)
  }

  /// Records that a worker's command is decided: the commands that waited for it come next.
  mutating func finish(_ worker: Worker, steps: Int = 0) {
    charge(steps, to: worker)
    guard let current = runningCommands.removeValue(forKey: worker) else { return }
    release(current.command)
    if worker == .writes {
      unblocked.append(waitingForLocation)
      waitingForLocation = []
    } else if let place = ListenTarget(current.command), let following = followers.removeValue(forKey: place) {
      unblocked.append(following)
    }
  }

  // MARK: Waiting commands

  /// Delays a connection's commands until another connection has ended.
  mutating func hold(_ connection: ConnectionID, until other: ConnectionID) {
    successors[other] = connection
    predecessors[connection] = other
  }

  private mutating func hold(_ command: Command) {
    if !command.isOneOff { blockingCounts[command.connection, default: 0] += 1 }
  }

  private mutating func release(_ command: Command) {
    guard !command.isOneOff, let count = blockingCounts[command.connection] else { return }
    blockingCounts[command.connection] = count > 1 ? count - 1 : nil
    if count == 1 { resume(command.connection) }
  }

  /// Releases a connection once neither it nor its predecessor is blocked.
  private mutating func resume(_ connection: ConnectionID) {
    if waitingByConnection[connection] != nil {
      ready.append(connection)
    } else if let next = successors[connection], waitingByConnection[next] != nil {
      ready.append(next)
    }
  }

  /// Removes and returns waiting commands that may be decided now, up to `countMax`. Connections take turns.
  mutating func takeReleased(_ countMax: Int) -> (commands: [Command], source: Source) {
    guard unblocked.count == 0 else { return (takeUnblocked(countMax), .unblocked) }
    var (taken, turn) = ([Command](), 0)
    while turn < ready.count, taken.count < countMax {
      let connection = ready[turn]
      turn += 1
      guard !isBlocked(connection), var queue = waitingByConnection.removeValue(forKey: connection) else { continue }
      let part = queue.take(min(limits.roundCommandsMax, countMax - taken.count))
      taken += part
      waitingCount -= part.count
      if queue.count > 0 { waitingByConnection[connection] = queue }
      updatePausedConnections(connection, queue.count)
      resume(connection)
    }
    ready.removeFirst(turn)
    return (taken, .connectionQueue)
  }

  private mutating func takeUnblocked(_ countMax: Int) -> [Command] {
    let taken = Array(unblocked.take(countMax))
    waitingCount -= taken.count
    for command in taken { release(command) }
    return taken
  }

  /// Holds back the commands that must wait, and returns the others.
  ///
  /// - Parameters:
  /// - source: The origin; a command from the mailbox waits when its connection has a queue.
  /// - replaces: Returns true when a command may write at or around some locations.
  mutating func admit(
    _ commands: ArraySlice<Command>, from source: Source, replaces: (Command, LocationSet) -> Bool
  ) -> [Command] {
    if isIdle, successors.isEmpty { return Array(commands) }
    let places = runningCommands[.writes]?.places ?? LocationSet()
    var (admitted, putBack) = ([Command](), [ConnectionID: [Command]]())
    for command in commands {
      let connection = command.connection
      if !command.isOneOff, isBlocked(connection) || putBack[connection] != nil {
        putBack[connection, default: []].append(command)
      } else if !command.isOneOff, source == .mailbox, waitingByConnection[connection] != nil {
        putBack[connection, default: []].append(command)
      } else if !places.isEmpty, replaces(command, places) {
        waitingForLocation.append(command)
        _ = wait(command)
      } else {
        admitted.append(command)
      }
    }
    for (connection, commands) in putBack { keep(commands, of: connection, inFront: source != .mailbox) }
    return admitted
  }

  /// Puts commands back that were taken by ``takeReleased(_:)`` and not decided.
  mutating func putBack(_ commands: ArraySlice<Command>, from source: Source) {
    guard source == .connectionQueue else {
      for command in commands { _ = wait(command) }
      return unblocked.prepend(commands)
    }
    for (connection, commands) in Dictionary(grouping: commands, by: \.connection) {
      keep(commands, of: connection, inFront: true)
      ready.append(connection)
    }
  }

  /// Puts a command at the front of its connection's queue.
  mutating func putBack(_ command: Command) { keep([command], of: command.connection, inFront: true) }

  private mutating func keep(_ commands: [Command], of connection: ConnectionID, inFront: Bool) {
    var queue = waitingByConnection.removeValue(forKey: connection) ?? PendingCommands()
    if inFront { queue.prepend(commands) } else { queue.append(commands) }
    waitingByConnection[connection] = queue
    waitingCount += commands.count
    updatePausedConnections(connection, queue.count)
  }

  private mutating func updatePausedConnections(_ connection: ConnectionID, _ count: Int) {
    let isCrowded = count >= limits.roundCommandsMax * limits.roundsPendingPerConnectionMax
    guard isCrowded != pausedConnections.contains(connection) else { return }
    if isCrowded { pausedConnections.insert(connection) } else { pausedConnections.remove(connection) }
    havePausedConnectionsChanged = true
  }

  /// Returns the connections from which the server should stop reading; nil when they are unchanged since the last
  /// call.
  mutating func takePausedConnections() -> Set<ConnectionID>? {
    defer { havePausedConnectionsChanged = false }
    return havePausedConnectionsChanged ? pausedConnections : nil
  }

  /// Records decided commands. Releases connections that waited for a disconnect among these commands.
  mutating func decided(_ commands: ArraySlice<Command>) {
    guard !successors.isEmpty else { return }
    for command in commands {
      guard case .disconnect = command.action,
        let next = successors.removeValue(forKey: command.connection)
      else { continue }
      predecessors[next] = nil
      if waitingByConnection[next] != nil { ready.append(next) }
    }
  }

  /// Returns true when all commands of a connection wait.
  private func isBlocked(_ connection: ConnectionID) -> Bool {
    if blockingCounts[connection] != nil { return true }
    guard let before = predecessors[connection] else { return false }
    return blockingCounts[before] != nil || waitingByConnection[before] != nil
  }
}
