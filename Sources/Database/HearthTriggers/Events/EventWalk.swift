import HearthTree

/// What happened at one place.
public enum EventKind: UInt8, Sendable, CaseIterable {
  /// There was nothing before.
  case created
  /// There was another value before.
  case updated
  /// There is nothing any more.
  case deleted
}

/// Finds the places that patterns match and whose value a commit changed: places above those that were written,
/// themselves, and below. Priorities are no values.
///
/// Recursion as deep as data is nested, which is limited. Subtrees that both versions share are not looked into.
struct EventWalk {
  /// One pattern on its way down: which, and where in it.
  struct Standing {
    var pattern: Int
    var places: UInt64
  }

  let patterns: [TriggerPattern]
  /// Called for each place and pattern, those below before those above. Returning false ends the walk.
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
    let standings = patterns.indices.map { Standing(pattern: $0, places: patterns[$0].start) }
    guard !standings.isEmpty else { return }
    let paths = change.paths.map { $0.keys[...] }
    _ = visit(change.oldRoot, change.newRoot, standings, written: paths)
  }

  /// - Parameter written: what is left of the written paths from here on; one without a key says that all below may
  ///   have changed.
  /// - Returns: Whether the value here is another one.
  private mutating func visit(
    _ old: Node, _ new: Node, _ standings: [Standing], written: [ArraySlice<Key>]
  ) -> Bool {
    if isOver { return true }
    if written.contains(where: \.isEmpty) { return visit(old, new, standings) }
    var isDifferent = old.isEmpty != new.isEmpty
    // Several written paths can begin with the same key; their order is kept.
    var seen: Set<Key> = []
    for path in written {
      guard let key = path.first, seen.insert(key).inserted else { continue }
      let below = written.filter { $0.first == key }.map { $0.dropFirst() }
      let (before, after) = (old.child(key), new.child(key))
      let next = advanced(standings, by: key)
      // With no pattern left it is only asked whether anything is different.
      if next.isEmpty, isDifferent { continue }
      keys.append(key)
      if visit(before, after, next, written: below) { isDifferent = true }
      keys.removeLast()
    }
    // A value in the place of children is written there or above.
    if isDifferent { tell(standings, old, new) }
    return isDifferent
  }

  /// The same where anything may be different.
  private mutating func visit(_ old: Node, _ new: Node, _ standings: [Standing]) -> Bool {
    if isOver { return true }
    guard standings.contains(where: { patterns[$0.pattern].canGoOn($0.places) }) else {
      let isDifferent = old.differs(from: new)
      if isDifferent { tell(standings, old, new) }
      return isDifferent
    }
    var isDifferent = old.isLeaf || new.isLeaf ? old.differs(from: new) : old.isEmpty != new.isEmpty
    new.forEachDifference(from: old) { key, before, after in
      if isOver { return }
      let next = advanced(standings, by: key)
      if next.isEmpty {
        if !isDifferent { isDifferent = before.differs(from: after) }
        return
      }
      keys.append(key)
      if visit(before, after, next) { isDifferent = true }
      keys.removeLast()
    }
    if isDifferent { tell(standings, old, new) }
    return isDifferent
  }

  private func advanced(_ standings: [Standing], by key: Key) -> [Standing] {
    standings.compactMap { standing in
      let places = patterns[standing.pattern].advanced(standing.places, by: key)
      return places == 0 ? nil : Standing(pattern: standing.pattern, places: places)
    }
  }

  private mutating func tell(_ standings: [Standing], _ old: Node, _ new: Node) {
    for standing in standings where !isOver && patterns[standing.pattern].accepts(standing.places) {
      isOver = !found(standing.pattern, keys, old, new)
    }
  }
}

extension Node {
  /// Returns true when the values are different, priorities left out.
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
  /// What became of a value.
  init(old: Node, new: Node) { self = old.isEmpty ? .created : new.isEmpty ? .deleted : .updated }
}
