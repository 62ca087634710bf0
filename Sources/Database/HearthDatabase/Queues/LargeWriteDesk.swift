import HearthEngine

/// The large write that is decided beside the deciding queue, and the commands that must not come before it.
///
/// What the same connection asked for later waits, and so do writes to the places that the large write replaces or,
/// once they have come between, looks at. All others go on. When the write is done, those that waited are decided in the
/// order in which they came.
struct LargeWriteDesk: Sendable {
  /// The write under way.
  struct Current: Sendable {
    var connection: ConnectionID
    /// Without a connection: then no other command waits for the order of its connection.
    var isOneOff: Bool
    var places: PlaceSet
    var attemptCount = 1
  }

  private(set) var current: Current?
  /// What waits for ``current``.
  private var blocked = Line()
  /// What waited for the write before, and is decided in turn with what comes in.
  private var released = Line()
  /// Connections that begin once another one has ended, until its end is decided; both ways.
  private var successors: [ConnectionID: ConnectionID] = [:]
  private var predecessors: [ConnectionID: ConnectionID] = [:]

  /// Commands in order, and how many of each connection.
  private struct Line: Sendable {
    var commands: [Command] = []
    var counts: [ConnectionID: Int] = [:]

    mutating func append(_ command: Command) {
      commands.append(command)
      if !command.isOneOff { counts[command.connection, default: 0] += 1 }
    }

    mutating func prepend(_ line: Line) {
      commands.insert(contentsOf: line.commands, at: 0)
      counts.merge(line.counts, uniquingKeysWith: +)
    }

    mutating func removeFirst(_ count: Int) {
      for command in commands.prefix(count) where !command.isOneOff {
        counts[command.connection] = counts[command.connection].flatMap { $0 > 1 ? $0 - 1 : nil }
      }
      commands.removeFirst(count)
    }
  }

  var isIdle: Bool { current == nil && released.commands.isEmpty }
  var waitingCount: Int { blocked.commands.count + released.commands.count }

  // MARK: The write under way

  mutating func begin(_ work: LargeCommand) {
    current = Current(connection: work.command.connection, isOneOff: work.command.isOneOff, places: work.places)
  }

  /// The write must be decided again, and others may not change any more what it looked at.
  ///
  /// - Returns: False when that was tried so often that it must be decided in line.
  mutating func retry(without places: PlaceSet, attemptsMax: Int) -> Bool {
    guard var current, current.attemptCount < attemptsMax else { return false }
    current.attemptCount += 1
    current.places.formUnion(places)
    self.current = current
    return true
  }

  /// The write is done: what waited for it comes next, before what waited since.
  mutating func end() {
    current = nil
    released.prepend(blocked)
    blocked = Line()
  }

  // MARK: The others

  /// A connection's commands come after the end of another connection.
  mutating func hold(_ connection: ConnectionID, until other: ConnectionID) {
    successors[other] = connection
    predecessors[connection] = other
  }

  /// Takes out commands that waited and may be decided now, a share of a batch.
  mutating func takeReleased(_ countMax: Int) -> [Command] {
    let taken = Array(released.commands.prefix(countMax))
    released.removeFirst(taken.count)
    return taken
  }

  /// Keeps those back that must wait, and gives the others.
  ///
  /// - Parameters:
  ///   - isReleased: They come from ``takeReleased(_:)``; of others, those wait whose connection has some there.
  ///   - replaces: Whether a command may write at or around some places.
  mutating func admit(
    _ commands: ArraySlice<Command>, isReleased: Bool, replaces: (Command, PlaceSet) -> Bool
  ) -> [Command] {
    if isIdle, successors.isEmpty { return Array(commands) }
    return commands.filter { command in
      if !isReleased, waitsInTurn(command) {
        released.append(command)
      } else if isBlocked(command, replaces) {
        blocked.append(command)
      } else {
        return true
      }
      return false
    }
  }

  /// These commands are decided. Connections that waited for one of the ends among them go on.
  mutating func decided(_ commands: ArraySlice<Command>) {
    guard !successors.isEmpty else { return }
    for command in commands {
      guard case .disconnect = command.action else { continue }
      if let next = successors.removeValue(forKey: command.connection) { predecessors[next] = nil }
    }
  }

  /// Another large write came while one is under way.
  mutating func wait(_ command: Command) { blocked.append(command) }

  private func isBlocked(_ command: Command, _ replaces: (Command, PlaceSet) -> Bool) -> Bool {
    guard let current else { return false }
    if !command.isOneOff {
      let connection = command.connection
      if isBlocked(connection, current) { return true }
      if let before = predecessors[connection], isBlocked(before, current) { return true }
    }
    return !current.places.isEmpty && replaces(command, current.places)
  }

  private func isBlocked(_ connection: ConnectionID, _ current: Current) -> Bool {
    blocked.counts[connection] != nil || connection == current.connection && !current.isOneOff
  }

  private func waitsInTurn(_ command: Command) -> Bool {
    guard !command.isOneOff, !released.commands.isEmpty else { return false }
    if released.counts[command.connection] != nil { return true }
    return predecessors[command.connection].map { released.counts[$0] != nil } ?? false
  }
}
