import HearthRules
import HearthTree

/// Facts about places: which of them are equal, and the consequences of a value for the places above and below it.
extension Facts {
  /// Returns the place with every known text in it resolved. Places that are certainly equal have the same canonical
  /// form.
  func canonical(_ place: PlaceID) -> PlaceID {
    let (end, parent) = table.end(of: place)
    guard let last = end else { return place }
    if case .above(let inner) = last { return above(inner) }
    let base = parent == TermTable.root ? parent : canonical(parent)
    switch last {
    case .key(let key):
      let known = representative(key)
      return known == key && base == parent ? place : table.place(base, .key(known))
    case .part(let term):
      if let text = constantText(term) {
        return Path(text).keys.reduce(base) { table.place($0, .key(table.intern(.text($1)))) }
      }
      return resolved(base, term) { .part($0) }
    case .whole(let term):
      if let text = constantText(term) { return table.child(base, table.text(text)) }
      return resolved(base, term) { .whole($0) }
    case .above: return place
    }
  }

  private func resolved(_ base: PlaceID, _ term: TermID, _ make: (TermID) -> Segment) -> PlaceID {
    if let key = wildcard(term) { return table.place(base, .key(key)) }
    guard case .joined(let parts) = table[term] else { return table.place(base, make(representative(term))) }
    // Parts whose text has become known may contain slashes or be single keys.
    let joined = table.intern(.joined(parts.map { representative($0) }))
    guard joined != term, case .whole = make(term) else { return table.place(base, make(representative(term))) }
    let split = table.child(base, joined)
    return split == table.place(base, .whole(joined))
      ? table.place(base, .whole(representative(joined))) : canonical(split)
  }

  private func above(_ inner: PlaceID) -> PlaceID {
    let below = canonical(inner)
    switch table.places[below].segments.last {
    case .key: return table.places[below].parent ?? table.nowhere
    case nil: return table.nowhere  // `parent()` of the root is an error
    default: return table.place(nil, .above(below))
    }
  }

  /// Returns the relation of a canonical place to the written one.
  ///
  /// One step that certainly differs is enough, also below unknown steps: if the unknown steps are equal, the places
  /// differ in the later step; if not, they already differ there.
  func relation(_ place: PlaceID) -> Relation { relation(place, to: change.place) }

  /// Returns the relation of a place to another one, whose steps are all keys.
  func relation(_ place: PlaceID, to other: PlaceID) -> Relation {
    // Resolving a place may add a place to the table, so it is done before the table is read.
    let resolved = canonical(other)
    let (steps, written) = (table.places[place].segments, table.places[resolved].segments)
    var isSame = true
    for (step, other) in zip(steps, written) {
      guard let a = step.key, let b = other.key else { return .unknown }
      if a == b { continue }
      if differ(a, b) { return .beside }
      isSame = false
    }
    guard isSame else { return table.faults.contains(.perhapsIsBeside) ? .beside : .unknown }
    if steps.count < written.count { return .above }
    if steps.count == written.count { return .at }
    let goesDown = steps[written.count...].contains { step in
      switch step {
      case .key, .whole: true
      case .part, .above: false
      }
    }
    return goesDown ? .below : .unknown
  }

  // MARK: Values

  mutating func propagateValue(_ term: TermID, _ side: Side, _ place: PlaceID) {
    let canonical = canonical(place)
    let relation: Relation = side == .new ? relation(canonical) : .unknown
    var valueSide = side
    if side == .new {
      switch change.kind {
      case .priority: valueSide = .old  // because a change of a priority does not change values
      case .value where relation == .beside: valueSide = .old  // because a write does not change places next to it
      case .value where relation == .above && table.faults.contains(.sameAboveWrite): valueSide = .old
      case .many where relation == .beside && table.faults.contains(.sameBesideUpdate): valueSide = .old
      default: break
      }
    }
    let same = table.intern(.value(valueSide, canonical))
    // This also applies to unchanged places: when a value exists in both trees, the places above it are objects in
    // both.
    propagateTree(term, side, canonical)
    guard same == term else { return unite(term, same) }
    if side == .old, change.kind == .value, !types(term).contains(.null), self.relation(canonical) == .beside {
      activate(table.intern(.value(.new, canonical)))
    }
    if side == .new, change.kind == .value, relation == .above { propagateAncestor(term, canonical) }
  }

  /// Adds the consequences of a value for the place above it, which is an object.
  private mutating func propagateTree(_ term: TermID, _ side: Side, _ place: PlaceID) {
    let content = table.places[place]
    guard let last = content.segments.last, let parent = content.parent else { return }
    if let key = last.key, let text = constantText(key), Key(text).problem != nil {
      return restrict(term, .null)  // because such a key is not valid in data
    }
    let up = table.intern(.value(side, parent))
    activate(up)
    if case .part = last {
      // A relative path without keys leads to the same place.
      if !types(term).contains(.null) { restrict(up, .present) }
      if types(up) == .null { restrict(term, .null) }
    } else {
      if !types(term).contains(.null) { restrict(up, .object) }
      if !types(up).contains(.object) { restrict(term, .null) }
    }
  }

  /// Adds the facts about a place above the written one, after the write.
  private mutating func propagateAncestor(_ term: TermID, _ place: PlaceID) {
    let written = table.intern(.value(.new, canonical(change.place)))
    let old = table.intern(.value(.old, place))
    activate(written)
    activate(old)
    if table.faults.contains(.leafVanishes), types(written) == .null { restrict(term, [.null, .object]) }
    // A leaf is not changed when a place below it is deleted, so only null and objects can become null.
    if types(term) == .null { restrict(old, [.null, .object]) }
    // A write below a place makes the place an object. When the place is a leaf after the write, nothing was written,
    // and the leaf existed before.
    if types(term).isSubset(of: .scalar) {
      restrict(written, .null)
      unite(term, old)
    }
    // A delete below null or below a leaf changes nothing.
    if types(written) == .null, !types(old).contains(.object) { unite(term, old) }
  }

  // MARK: Priorities

  mutating func propagatePriority(_ term: TermID, _ side: Side, _ place: PlaceID) {
    let canonical = canonical(place)
    let relation: Relation = side == .new ? relation(canonical) : .unknown
    let value = table.intern(.value(side, canonical))
    activate(value)
    var prioritySide = side
    if side == .new {
      switch (change.kind, relation) {
      case (.priority, .beside), (.priority, .above), (.priority, .below), (.value, .beside): prioritySide = .old
      // A place above the written one keeps its priority when it existed before; a new place has none.
      case (.value, .above) where !types(value).contains(.null): prioritySide = .old
      default: break
      }
    }
    let same = table.intern(.priority(prioritySide, canonical))
    if same != term { unite(term, same) }
    // Null has no priority.
    if types(value) == .null { restrict(term, .null) }
    if !types(term).contains(.null) { restrict(value, .present) }
  }
}
