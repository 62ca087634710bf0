/// The listens that one cause, such as a deploy, put in doubt. They are decided again in slices between other commands.
final class PendingRedecision {
  /// The set of listens to decide again.
  enum Source {
    /// A list of listens; ``Listen/isQueued`` shows which are still to be decided.
    case listens([Listen])
    /// A list of listens whose rules read the time; those that have been decided since the cause are skipped.
    case due([Listen])
    /// All listens of these connections.
    case connections([Connection])
    /// The listens that depend on one node.
    case place(DependencyNode)
    /// The listens of a closed connection, which are removed from the indexes.
    case ended(Connection)
  }

  /// The result of advancing to the next listen.
  enum Step {
    /// A listen that may be in doubt.
    case listen(Listen)
    /// No listen in this step, though there may be more.
    case nothing
    /// The end of the listens.
    case end
  }

  /// The report of the redecision, without listens.
  let redecision: Redecision
  let source: Source
  /// The ``RedecisionQueue/lastSerial`` at the time of its cause.
  let serial: UInt64
  /// The index of the next element in the source's array.
  private var index = 0
  /// The next index in the current table of listens, which is traversed from its end: a removed listen is replaced by
  /// the table's last one, which has been decided already.
  private var slot: Int?
  /// The client whose command was the last cause; nil when the passing of time was the cause.
  var payer: WorkPayer?
  /// True when listens that were decided already are in doubt again, so that the traversal must be repeated.
  var startsOver = false
  /// True when a later pending redecision includes all listens of this one.
  var isSuperseded = false

  var examinedCount = 0
  var cancelledCount = 0
  /// The number of examined listens that were not reported yet.
  var unreportedCount = 0
  /// Continuing listens for the next part of the report, followed by the number that may still be reported.
  var kept: [Redecision.Kept] = []
  var reportableKeptCount = Redecision.keptReportedMax
  /// True when a part was reported.
  var isReported = false

  init(_ redecision: Redecision, _ source: Source, serial: UInt64, payer: WorkPayer?) {
    (self.redecision, self.source, self.serial, self.payer) = (redecision, source, serial, payer)
  }

  /// Advances to the next listen.
  func next() -> Step {
    if isSuperseded { return .end }
    switch source {
    case .listens(let listens), .due(let listens):
      guard index < listens.count else { return .end }
      index += 1
      return listens[index - 1].isLive ? .listen(listens[index - 1]) : .nothing
    case .connections(let connections): return next(of: connections)
    case .place(let node): return next(at: node)
    case .ended: return .end
    }
  }

  private func next(of connections: [Connection]) -> Step {
    guard index < connections.count else { return startOver() }
    let connection = connections[index]
    let slot = min(slot ?? .max, connection.listens.count) - 1
    guard slot >= 0, !connection.hasEnded else {
      (index, self.slot) = (index + 1, nil)
      return .nothing
    }
    self.slot = slot
    return .listen(connection.listens.entries[slot].value)
  }

  private func next(at node: DependencyNode) -> Step {
    let slot = min(slot ?? .max, node.dependentCount) - 1
    guard slot >= 0 else { return startOver() }
    self.slot = slot
    guard let listen = node.doubted(at: slot), !listen.connection.hasEnded else { return .nothing }
    return .listen(listen)
  }

  private func startOver() -> Step {
    guard startsOver else { return .end }
    (startsOver, index, slot) = (false, 0, nil)
    return .nothing
  }

  /// Returns true when a listen must be decided although it is not in doubt.
  func isDue(_ listen: Listen) -> Bool {
    if case .due = source { listen.decidedSerial < serial } else { false }
  }

  /// Clears the references to this pending redecision.
  func finish() {
    switch source {
    case .connections(let connections):
      for connection in connections where connection.redecision === self { connection.redecision = nil }
    case .place(let node):
      if node.redecision === self {
        node.redecision = nil
        node.endDoubt()
      }
    case .listens, .due, .ended: break
    }
  }
}
