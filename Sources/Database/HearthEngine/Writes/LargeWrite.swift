import HearthRules
import HearthTree

/// A write that takes long to decide, and all that deciding it needs: one version of the tree and of the rules.
///
/// It is decided on any thread while the engine goes on, by an engine of its own that nobody listens to. Then
/// ``Engine/settle(_:at:)`` makes what was decided so, if all that the decision looked at is still the same. The
/// outcome is that of a write which was decided in that moment.
public struct LargeWrite: Sendable {
  /// As it was handed over.
  package let command: Command
  let operation: WriteOperation
  let principal: Principal
  let state: Published
  let now: Instant
  let limits: EngineLimits
  /// The orders that live queries need at and below the place of the write.
  var orders: [(path: Path, order: Query.Order)] = []
  /// Its decisions are judged after it.
  var isTapped = false

  /// What the write replaces, when that is told at a glance; nil when the decision tells.
  package var places: PlaceSet? {
    switch operation.change {
    case .put(let location, _): return Self.places([location], below: location.path, limits).places
    case .merge(let path, let writes):
      guard writes.count <= limits.largeWritePlacesMax else { return nil }
      return Self.places(writes.map { $0.location.under(path) }, below: path, limits).places
    }
  }

  static func places(
    _ locations: [Location], below base: Path, _ limits: EngineLimits
  ) -> (places: PlaceSet, depth: Int) {
    PlaceSet.holding(locations, below: base, countMax: limits.largeWritePlacesMax)
  }
}

/// What deciding a write looked at, and the commit that it made.
struct LargeWriteNotes: Sendable {
  /// What the write replaces. Nothing else is different in the tree after it.
  var places = PlaceSet()
  /// What the rules read beside that.
  var reads = WriteReads()
  /// nil when nothing is different.
  var commit: Commit?

  /// Adds what one decision of the rules came from.
  mutating func note(_ places: PlaceSet, _ reads: WriteReads) {
    self.places.formUnion(places)
    self.reads.before.formUnion(reads.before)
    self.reads.after.formUnion(reads.after)
  }

  /// Whatever the rules say to a write, it has looked at the places that it names. One that compares looks at all of its
  /// place, and at what lets its writer read there.
  mutating func note(
    _ operation: WriteOperation, by principal: Principal?, _ state: Published, _ now: Instant, _ limits: EngineLimits
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

/// An order of a place's children, and what it is the order of.
struct PlaceIndex: Sendable {
  let path: Path
  let node: Node
  let index: ChildIndex
}

/// A ``LargeWrite`` with its outcome.
public struct DecidedWrite: Sendable {
  /// What was decided.
  package let write: LargeWrite
  /// The answer, and what the log is told.
  let effects: [Effect]
  /// Empty when nothing is different.
  package let record: [UInt8]
  /// The tree after it.
  let root: Node
  let notes: LargeWriteNotes
  let indexes: [PlaceIndex]
  /// The steps that deciding it took.
  package let steps: Int
  /// The decisions of the rules that it took; nil unless somebody judges them after it.
  var cases: DecidedCases?
  /// The pieces in which the record is in the log already.
  package var pieces: (number: Int64, count: UInt32)?

  /// Its record, or a word about the pieces of it that are in the log already.
  func append(to payload: inout [UInt8]) {
    if let (number, count) = pieces {
      let content = CommitRecord.Content.joined(number: number, count: count)
      CommitRecord(wallMilliseconds: write.now.wallMilliseconds, content: content).append(to: &payload)
    } else {
      payload += record
    }
  }

  /// What must not change while the write is decided again.
  package var lookedAt: PlaceSet {
    var places = notes.places
    for reads in [notes.reads.before, notes.reads.after] {
      for path in reads.data.keys { places.insert(path) }
    }
    return places
  }

  /// The tree after the write when it comes after others; nil when these changed something that it was decided from.
  package func root(on current: Node) -> Node? {
    let before = write.state.root
    if current.isIdentical(to: before) { return root }
    let places = notes.places.paths
    let isSame =
      places.allSatisfy { current[$0].isIdentical(to: before[$0]) }
      && !notes.reads.before.isAffected(from: before, to: current)
    guard isSame, !isOrderSeen(places, current) else { return nil }
    let next = current.replacing(places.map { ($0, root[$0]) })
    let isReadSame = notes.reads.after.data.allSatisfy { path, aspects in
      // All of a place is the same after the write when it was before: what is replaced in it is.
      aspects.contains(.everything)
        ? current[path].isIdentical(to: before[path]) : !aspects.differ(root[path], next[path])
    }
    return isReadSame && places.allSatisfy { keepsPriorities(above: $0, next) } ? next : nil
  }

  /// Returns true when the order of the changes shows in the outcome: a node that loses its last child on the way loses its
  /// priority, and the places have no order.
  private func isOrderSeen(_ places: [Path], _ current: Node) -> Bool {
    let hasPriorityAbove = places.contains { place in
      (0..<place.count).contains { current[place.prefix($0)].priority != nil }
    }
    return hasPriorityAbove
      && notes.commit?.changes.contains { $0.node.isEmpty && !$0.location.isPriority } == true
  }

  /// A node that was empty for a moment while the write was put together has lost its priority.
  private func keepsPriorities(above path: Path, _ next: Node) -> Bool {
    (0..<path.count).allSatisfy { depth in
      let above = path.prefix(depth)
      return write.state.root[above].priority == root[above].priority || next[above].priority == root[above].priority
    }
  }
}
