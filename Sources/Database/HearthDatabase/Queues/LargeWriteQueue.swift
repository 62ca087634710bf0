import HearthEngine
import HearthTree

/// The large commands that are worked on beside the deciding queue, and the commands that must not come before them.
///
/// Writes have one worker, comparisons and queries another. Those that wait for a worker take turns: see ``LargeCommandQueue``.
/// Later commands of the same connection wait, and so do writes to the places that the large write under way replaces or,
/// once they have come between, looks at. All others go on. The writes that waited for a place come before the next large
/// write.
struct LargeWriteQueue: Sendable {
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

  /// A place whose value listens compare, or whose query they ask for.
  private struct ListenPlace: Hashable, Sendable {
    let path: Path
    let query: Query?

    init?(_ command: Command) {
      guard case .listen(let request) = command.action else { return nil }
      (path, query) = (request.path, request.query)
    }
  }

  /// The command that a worker is at, or is reserved for.
  private struct Current: Sendable {
    let command: Command
    let client: ShareClaimant
    var places = PlaceSet()
    var attemptCount = 1
  }

  /// The origin of commands that are to be decided.
  enum Source: Sendable {
    /// The mailbox.
    case mailbox
    /// The line of a connection.
    case line
    /// Commands that waited for another client's.
    case due
  }

  /// The answer to a command that was set aside.
  enum Start: Sendable {
    /// The worker begins with it.
    case now
    /// It waits for its turn.
    case later
    /// Too many listens wait to be compared: it is answered with the whole value.
    case uncompared
  }

  private let limits: DatabaseLimits
  private var currents: [Worker: Current] = [:]
  private var queues: [Worker: LargeCommandQueue] = [:]
  /// Connections of which a listen waits to be compared; each has at most one, since its later commands wait for it.
  private var compared: Set<ConnectionID> = []
  /// Places whose comparison or query by a listen waits or is under way, with the listens that need its outcome alone.
  private var followers: [ListenPlace: [Command]] = [:]
  /// Writes that wait for the places of the large write under way.
  private var placed: [Command] = []
  /// Commands that waited for another client's command, and come before the next large write.
  private var due = PendingCommands()

  /// The number of a connection's commands that are large, or wait for a place. As long as there are any, others wait in
  /// ``lines``.
  private var holds: [ConnectionID: Int] = [:]
  /// Those that wait; none is empty.
  private var lines: [ConnectionID: PendingCommands] = [:]
  /// Connections whose lines go on.
  private var ready: [ConnectionID] = []
  /// Connections with as many commands in their lines as one may have.
  private var crowded: Set<ConnectionID> = []
  private var isCrowdNew = false
  /// Connections that begin once another one has ended, until its end is decided; both ways.
  private var successors: [ConnectionID: ConnectionID] = [:]
  private var predecessors: [ConnectionID: ConnectionID] = [:]

  private(set) var waitingCount = 0

  init(limits: DatabaseLimits) { self.limits = limits }

  var isIdle: Bool { waitingCount == 0 && currents.isEmpty }

  // MARK: Workers

  /// A command was set aside.
  ///
  /// - Parameter source: A listen that waited for the outcome of another one's comparison does not do so again.
  mutating func begin(_ work: LargeCommand, of client: ShareClaimant, from source: Source) -> Start {
    let (worker, command) = (Worker(work), work.command)
    if isFree(worker), queues[worker, default: LargeCommandQueue()].count == 0, worker != .writes || due.count == 0 {
      hold(command)
      currents[worker] = Current(command: command, client: client, places: work.places)
      if let place = ListenPlace(command) { followers[place] = followers[place] ?? [] }
      return .now
    }
    if let place = ListenPlace(command) {
      if work.isShared, source != .due, followers[place] != nil {
        followers[place]?.append(command)
        return wait(command)
      }
      if case .comparison = work {
        guard compared.count < limits.comparedListensWaitingMax else { return .uncompared }
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

  private func isFree(_ worker: Worker) -> Bool { currents[worker] == nil }

  /// The next command for a worker that is free, which is reserved for it until ``finish(_:steps:)``. It is decided
  /// anew, on the state of then.
  mutating func next(for worker: Worker) -> Command? {
    guard isFree(worker), worker != .writes || due.count == 0,
      let (command, client) = queues[worker]?.popFirst()
    else { return nil }
    compared.remove(command.connection)
    waitingCount -= 1
    currents[worker] = Current(command: command, client: client)
    return command
  }

  /// Begins with the command that a worker is reserved for.
  ///
  /// - Returns: False for the command of another client, or when the command is one for another worker.
  mutating func takeReserved(_ work: LargeCommand) -> Bool {
    let (worker, command) = (Worker(work), work.command)
    guard let current = currents[worker]?.command, current.connection == command.connection,
      current.request == command.request, current.isOneOff == command.isOneOff
    else { return false }
    currents[worker]?.places = work.places
    return true
  }

  /// A command must be worked on again, and others may not change any more what it looked at.
  ///
  /// - Returns: False when that was tried so often that it must be decided in line.
  mutating func retry(_ worker: Worker, without places: PlaceSet = PlaceSet(), steps: Int) -> Bool {
    charge(steps, to: worker)
    guard var current = currents[worker], current.attemptCount < limits.largeWriteAttemptsMax else { return false }
    current.attemptCount += 1
    current.places.formUnion(places)
    currents[worker] = current
    return true
  }

  private mutating func charge(_ steps: Int, to worker: Worker) {
    guard let current = currents[worker] else { return }
    queues[worker, default: LargeCommandQueue()].charge(steps, to: WorkPayer(current.command), of: current.client)
  }

  /// A worker's command is decided: what waited for it comes next.
  mutating func finish(_ worker: Worker, steps: Int = 0) {
    charge(steps, to: worker)
    guard let current = currents.removeValue(forKey: worker) else { return }
    release(current.command)
    if worker == .writes {
      due.append(placed)
      placed = []
    } else if let place = ListenPlace(current.command), let following = followers.removeValue(forKey: place) {
      due.append(following)
    }
  }

  // MARK: The others

  /// A connection's commands come after the end of another connection.
  mutating func hold(_ connection: ConnectionID, until other: ConnectionID) {
    successors[other] = connection
    predecessors[connection] = other
  }

  private mutating func hold(_ command: Command) {
    if !command.isOneOff { holds[command.connection, default: 0] += 1 }
  }

  private mutating func release(_ command: Command) {
    guard !command.isOneOff, let count = holds[command.connection] else { return }
    holds[command.connection] = count > 1 ? count - 1 : nil
    if count == 1 { goOn(command.connection) }
  }

  /// Nothing holds a connection any more, or the one before it.
  private mutating func goOn(_ connection: ConnectionID) {
    if lines[connection] != nil {
      ready.append(connection)
    } else if let next = successors[connection], lines[next] != nil {
      ready.append(next)
    }
  }

  /// Takes out commands that waited and may be decided now, a share of a batch. Connections take turns.
  mutating func takeReleased(_ countMax: Int) -> (commands: [Command], source: Source) {
    guard due.count == 0 else { return (takeDue(countMax), .due) }
    var (taken, turn) = ([Command](), 0)
    while turn < ready.count, taken.count < countMax {
      let connection = ready[turn]
      turn += 1
      guard !isHeld(connection), var line = lines.removeValue(forKey: connection) else { continue }
      let part = line.take(min(limits.roundCommandsMax, countMax - taken.count))
      taken += part
      waitingCount -= part.count
      if line.count > 0 { lines[connection] = line }
      noteCrowd(connection, line.count)
      goOn(connection)
    }
    ready.removeFirst(turn)
    return (taken, .line)
  }

  private mutating func takeDue(_ countMax: Int) -> [Command] {
    let taken = Array(due.take(countMax))
    waitingCount -= taken.count
    for command in taken { release(command) }
    return taken
  }

  /// Keeps those back that must wait, and gives the others.
  ///
  /// - Parameters:
  ///   - source: Of commands from the mailbox, those wait whose connection has some in line.
  ///   - replaces: Tells whether a command may write at or around some places.
  mutating func admit(
    _ commands: ArraySlice<Command>, from source: Source, replaces: (Command, PlaceSet) -> Bool
  ) -> [Command] {
    if isIdle, successors.isEmpty { return Array(commands) }
    let places = currents[.writes]?.places ?? PlaceSet()
    var (admitted, putBack) = ([Command](), [ConnectionID: [Command]]())
    for command in commands {
      let connection = command.connection
      if !command.isOneOff, isHeld(connection) || putBack[connection] != nil {
        putBack[connection, default: []].append(command)
      } else if !command.isOneOff, source == .mailbox, lines[connection] != nil {
        putBack[connection, default: []].append(command)
      } else if !places.isEmpty, replaces(command, places) {
        placed.append(command)
        _ = wait(command)
      } else {
        admitted.append(command)
      }
    }
    for (connection, commands) in putBack { keep(commands, of: connection, inFront: source != .mailbox) }
    return admitted
  }

  /// A command comes before all that wait in its connection's line.
  mutating func putBack(_ command: Command) { keep([command], of: command.connection, inFront: true) }

  private mutating func keep(_ commands: [Command], of connection: ConnectionID, inFront: Bool) {
    var line = lines.removeValue(forKey: connection) ?? PendingCommands()
    if inFront { line.prepend(commands) } else { line.append(commands) }
    lines[connection] = line
    waitingCount += commands.count
    noteCrowd(connection, line.count)
  }

  private mutating func noteCrowd(_ connection: ConnectionID, _ count: Int) {
    let isCrowded = count >= limits.roundCommandsMax * limits.roundsPendingPerConnectionMax
    guard isCrowded != crowded.contains(connection) else { return }
    if isCrowded { crowded.insert(connection) } else { crowded.remove(connection) }
    isCrowdNew = true
  }

  /// The connections that are to send no more; nil when they are the same as the last time.
  mutating func takeCrowd() -> Set<ConnectionID>? {
    defer { isCrowdNew = false }
    return isCrowdNew ? crowded : nil
  }

  /// These commands are decided. Connections that waited for one of the ends among them go on.
  mutating func decided(_ commands: ArraySlice<Command>) {
    guard !successors.isEmpty else { return }
    for command in commands {
      guard case .disconnect = command.action,
        let next = successors.removeValue(forKey: command.connection)
      else { continue }
      predecessors[next] = nil
      if lines[next] != nil { ready.append(next) }
    }
  }

  /// Returns true when a connection's commands wait, whatever they are.
  private func isHeld(_ connection: ConnectionID) -> Bool {
    if holds[connection] != nil { return true }
    guard let before = predecessors[connection] else { return false }
    return holds[before] != nil || lines[before] != nil
  }
}
