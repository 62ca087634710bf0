import HearthRules
import HearthTree

/// A write that takes long to decide, with all inputs of its decision: one version of the tree and of the rules.
///
/// A separate engine without listeners decides it on any thread while the main engine continues. Then
/// ``Engine/settle(_:at:)`` commits the write, if all data that the decision depends on is unchanged. The outcome
/// equals that of a decision at that time.
public struct LargeWrite: Sendable {
  /// The command as it was submitted.
  package let command: Command
  let operation: WriteOperation
  let principal: Principal
  let state: DatabaseState
  let now: Instant
  let limits: EngineLimits
  /// The sort orders that live queries need at and below the location of the write.
  var orders: [(path: Path, order: Query.Order)] = []
  /// The writer's own live queries at and below that location, whose events precede the answer.
  var ownQueries: [(path: Path, query: Query)] = []
  /// True when its rules decisions are recorded for a trial of rules.
  var recordsDecisions = false

  /// The locations that the write replaces, if they are known before its decision, or nil.
  package var places: LocationSet? {
    switch operation.change {
    case .put(let location, _): return Self.places([location], below: location.path, limits).places
    case .merge(let path, let writes):
      guard writes.count <= limits.largeWriteLocationsMax else { return nil }
      return Self.places(writes.map { $0.location.under(path) }, below: path, limits).places
    }
  }

  static func places(
    _ locations: [Location], below base: Path, _ limits: EngineLimits
  ) -> (places: LocationSet, depth: Int) {
    LocationSet.holding(locations, below: base, countMax: limits.largeWriteLocationsMax)
  }
}

/// The data that the decision of a write depends on, and its commit.
struct LargeWriteDependencies: Sendable {
  /// The locations that the write replaces. No other data changes.
  var places = LocationSet()
  /// Further data that the rules read.
  var reads = WriteReads()
  /// The commit; nil when nothing changes.
  var commit: Commit?

  /// Adds the dependencies of one decision of the rules.
  mutating func note(_ places: LocationSet, _ reads: WriteReads) {
    self.places.formUnion(places)
    self.reads.before.formUnion(reads.before)
    self.reads.after.formUnion(reads.after)
  }

  /// Adds the dependencies that a write has regardless of the rules for it: the locations that it names and, for a
  /// compared write, all data at its path and the data that permits its writer to read the path.
  mutating func note(
    _ operation: WriteOperation, by principal: Principal?, _ state: DatabaseState, _ now: Instant,
    _ limits: EngineLimits
  ) {
    switch operation.change {
    case .put(let location, _): places.insert(location.path)
    case .merge(let path, let writes):
      let locations = writes.map { $0.location.under(path) }
      places.formUnion(LargeWrite.places(locations, below: path, limits).places)
    }
    guard operation.expectedHash != nil, let principal else { return }
    places.insert(operation.path)
    let decision = state.decideRead(operation.path, as: principal, at: now, detail: .dependencies)
    if let read = decision?.dependencies { reads.before.formUnion(read) }
  }
}

/// A ``LargeWrite`` with its outcome.
public struct DecidedWrite: Sendable {
  /// The decided write.
  package let write: LargeWrite
  /// The answer, and the refusals for the operator's log.
  let effects: [Effect]
  /// The record; empty when nothing changes.
  package let record: [UInt8]
  /// The tree after the write.
  let root: Node
  let dependencies: LargeWriteDependencies
  let indexes: [LocationIndex]
  /// The results of the writer's own live queries.
  let ownQueries: [EvaluatedQuery]
  /// The steps of its decision.
  package let steps: Int
  /// The rules decisions; nil unless they are recorded for a trial of rules.
  var cases: RecordedDecisions?
  /// The pieces of the record that are in the log already; nil when there are none.
  package var pieces: (number: Int64, count: UInt32)?
  /// True when a page could not be read, so that there is no decision.
  var isIncomplete = false

  /// Appends the write's record to a batch's payload, or a reference to its pieces that are in the log already.
  func append(to payload: inout [UInt8]) {
    if let (number, count) = pieces {
      let content = CommitRecord.Content.lastPiece(number: number, count: count)
      CommitRecord(wallMilliseconds: write.now.wallMilliseconds, content: content).append(to: &payload)
    } else {
      payload += record
    }
  }

  /// The locations that must not change while the write is decided again.
  package var dependencyLocations: LocationSet {
    var places = dependencies.places
    for reads in [dependencies.reads.before, dependencies.reads.after] {
      for path in reads.data.keys { places.insert(path) }
    }
    return places
  }

  /// Returns the tree after the write when other writes came before it; nil when they changed data that its decision
  /// depends on.
  package func root(on current: Node) -> Node? {
    let before = write.state.root
    if current.isSameVersion(as: before) { return root }
    // Pages were evicted meanwhile: the tree that the write has made would bring them back into memory.
    return grafted(onto: current) ?? (current.isIdentical(to: before) ? root : nil)
  }

  /// Returns another version of the tree with the written locations; nil when the write cannot be applied to it.
  private func grafted(onto current: Node) -> Node? {
    let (before, places) = (write.state.root, dependencies.places.paths)
    let isSame =
      places.allSatisfy { current[$0].isIdentical(to: before[$0]) }
      && !dependencies.reads.before.isAffected(from: before, to: current)
    guard isSame, !isOrderSeen(places, current) else { return nil }
    let next = current.replacing(places.map { ($0, root[$0]) })
    let isReadSame = dependencies.reads.after.data.allSatisfy { path, aspects in
      // Identical replaced data implies identical data after the write, so all of the location can be taken over.
      aspects.contains(.everything)
        ? current[path].isIdentical(to: before[path]) : !aspects.differ(root[path], next[path])
    }
    return isReadSame && places.allSatisfy { keepsPriorities(above: $0, next) } ? next : nil
  }

  /// Returns true when the order of the changes affects the outcome: a node that is empty between two changes loses its
  /// priority, and the changes have no defined order.
  private func isOrderSeen(_ places: [Path], _ current: Node) -> Bool {
    let hasPriorityAbove = places.contains { place in
      (0..<place.count).contains { current[place.prefix($0)].priority != nil }
    }
    return hasPriorityAbove
      && dependencies.commit?.changes.contains { $0.node.isEmpty && !$0.location.isPriority } == true
  }

  /// Returns false when a node was briefly empty during the construction of the write, and has lost its priority.
  private func keepsPriorities(above path: Path, _ next: Node) -> Bool {
    (0..<path.count).allSatisfy { depth in
      let above = path.prefix(depth)
      return write.state.root[above].priority == root[above].priority || next[above].priority == root[above].priority
    }
  }
}

extension DecidedWrite {
  /// Creates the outcome of a write for which a page could not be read.
  init(incomplete write: LargeWrite, steps: Int) {
    self.init(
      write: write, effects: [], record: [], root: write.state.root, dependencies: LargeWriteDependencies(),
      indexes: [], ownQueries: [], steps: steps, isIncomplete: true)
  }
}
