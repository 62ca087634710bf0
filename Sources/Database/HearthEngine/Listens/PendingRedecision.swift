/// Listens that one cause put in doubt and that are decided again slice by slice, beside other commands.
final class PendingRedecision {
  /// Where the listens are found.
  enum Source {
    /// Those of a list; ``Listen/isQueued`` says which are still to be decided.
    case listens([Listen])
    /// Those of a list whose rules look at the time and that were not decided since.
    case due([Listen])
    /// All of these connections.
    case connections([Connection])
    /// Those that looked at one place.
    case place(DependencyNode)
    /// Those of a connection that has ended: they are taken out of the indexes.
    case ended(Connection)
  }

  /// One step through the listens.
  enum Step {
    /// A listen that may be in doubt.
    case listen(Listen)
    /// Nothing here; there may be more.
    case nothing
    /// No listens are left.
    case end
  }

  /// What is told of it, without listens.
  let redecision: Redecision
  let source: Source
  /// The ``RedecisionQueue/lastSerial`` of its beginning.
  let serial: UInt64
  /// Of a list; or of the connections.
  private var index = 0
  /// The next slot of the present table, from its end to its beginning: a listen that leaves a table is replaced by the last
  /// one of it, which was looked at before.
  private var slot: Int?
  /// The client whose command caused it last; nil for what time causes.
  var payer: WorkPayer?
  /// Some listens were put in doubt again after they were passed.
  var startsOver = false
  /// Another cause has taken its listens over.
  var isSuperseded = false

  var examinedCount = 0
  var cancelledCount = 0
  /// Of those, the ones that were not told yet.
  var untoldCount = 0
  /// Listens that go on, to be told with the next part; and how many may still be.
  var kept: [Redecision.Kept] = []
  var keptRoom = Redecision.keptToldMax
  /// Part of it was told.
  var isTold = false

  init(_ redecision: Redecision, _ source: Source, serial: UInt64, payer: WorkPayer?) {
    (self.redecision, self.source, self.serial, self.payer) = (redecision, source, serial, payer)
  }

  /// Goes one listen on.
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

  /// Returns true when a listen is to be decided although it is not in doubt.
  func isDue(_ listen: Listen) -> Bool {
    if case .due = source { listen.decidedSerial < serial } else { false }
  }

  /// Nothing refers to it any more as to what decides listens again.
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
