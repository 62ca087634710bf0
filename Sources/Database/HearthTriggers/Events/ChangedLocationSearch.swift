import HearthTree

/// The kind of change of the value at one location.
public enum EventKind: UInt8, Sendable, CaseIterable {
  /// The location had no value before.
  case created
  /// The location had another value before.
  case updated
  /// The location has no value any more.
  case deleted
}

/// A search for locations that match patterns and whose value a commit changed: above the written locations, at them,
/// and below. Priorities are not values.
///
/// The recursion is as deep as the data, which is limited. Subtrees that both versions share are skipped.
struct ChangedLocationSearch {
  /// The state of one pattern during the descent: its index, and the matched steps.
  struct MatchState {
    var pattern: Int
    var places: UInt64
  }

  let patterns: [TriggerPattern]
  /// Called for each location that changed and each pattern that matches it, descendants before their ancestors.
  /// Returning false ends the search.
  let found: (_ pattern: Int, _ path: [Key], _ old: Node, _ new: Node) -> Bool

  private var keys: [Key] = []
  private var isOver = false

  init(
    _ patterns: [TriggerPattern],
    found: @escaping (_ pattern: Int, _ path: [Key], _ old: Node, _ new: Node) -> Bool
  ) {
    (self.patterns, self.found) = (patterns, found)
  }

  mutating func run(_ change: WrittenChange) {
    let matchStates = patterns.indices.map { MatchState(pattern: $0, places: patterns[$0].start) }
    guard !matchStates.isEmpty else { return }
    let paths = change.paths.map { $0.keys[...] }
    _ = visit(change.oldRoot, change.newRoot, matchStates, written: paths)
  }

  /// Visits a location.
  ///
  /// - Parameter written: The written paths, relative to this location. An empty path means that any location below it
  ///   may have changed.
  /// - Returns: True when the value at this location has changed.
  private mutating func visit(
    _ old: Node, _ new: Node, _ matchStates: [MatchState], written: [ArraySlice<Key>]
  ) -> Bool {
    if isOver { return true }
    if written.contains(where: \.isEmpty) { return visit(old, new, matchStates) }
    var isDifferent = old.isEmpty != new.isEmpty
    // Several written paths may begin with the same key; their order is kept.
    var seen: Set<Key> = []
    for path in written {
      guard let key = path.first, seen.insert(key).inserted else { continue }
      let below = written.filter { $0.first == key }.map { $0.dropFirst() }
      let (before, after) = (old.child(key), new.child(key))
      let next = advanced(matchStates, by: key)
      // When no pattern can match below, only the existence of a difference matters.
      if next.isEmpty, isDifferent { continue }
      keys.append(key)
      if visit(before, after, next, written: below) { isDifferent = true }
      keys.removeLast()
    }
    // A leaf that replaces children, or is replaced by them, is written at this location or above it.
    if isDifferent { report(matchStates, old, new) }
    return isDifferent
  }

  /// Visits a location below which any value may have changed.
  private mutating func visit(_ old: Node, _ new: Node, _ matchStates: [MatchState]) -> Bool {
    if isOver { return true }
    guard matchStates.contains(where: { patterns[$0.pattern].canContinue($0.places) }) else {
      let isDifferent = old.differs(from: new)
      if isDifferent { report(matchStates, old, new) }
      return isDifferent
    }
    var isDifferent = old.isLeaf || new.isLeaf ? old.differs(from: new) : old.isEmpty != new.isEmpty
    new.forEachDifference(from: old) { key, before, after in
      if isOver { return }
      let next = advanced(matchStates, by: key)
      if next.isEmpty {
        if !isDifferent { isDifferent = before.differs(from: after) }
        return
      }
      keys.append(key)
      if visit(before, after, next) { isDifferent = true }
      keys.removeLast()
    }
    if isDifferent { report(matchStates, old, new) }
    return isDifferent
  }

  private func advanced(_ matchStates: [MatchState], by key: Key) -> [MatchState] {
    matchStates.compactMap { matchState in
      let places = patterns[matchState.pattern].advanced(matchState.places, by: key)
      return places == 0 ? nil : MatchState(pattern: matchState.pattern, places: places)
    }
  }

  private mutating func report(_ matchStates: [MatchState], _ old: Node, _ new: Node) {
    for matchState in matchStates where !isOver && patterns[matchState.pattern].accepts(matchState.places) {
      isOver = !found(matchState.pattern, keys, old, new)
    }
  }
}

extension Node {
  /// Returns true when the values differ, apart from priorities.
  func differs(from other: Node) -> Bool {
    if isIdentical(to: other) { return false }
    guard isInterior, other.isInterior else {
      return isInterior || other.isInterior || isEmpty != other.isEmpty || scalar != other.scalar
    }
    var isDifferent = false
    other.forEachDifference(from: self) { _, old, new in
      if !isDifferent { isDifferent = old.differs(from: new) }
    }
    return isDifferent
  }
}

extension EventKind {
  /// Creates the kind of change between two values.
  init(old: Node, new: Node) { self = old.isEmpty ? .created : new.isEmpty ? .deleted : .updated }
}
