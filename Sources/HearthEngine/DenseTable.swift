/// A dictionary that is iterated in an order which depends on nothing but the operations done to it.
///
/// The standard dictionary's order differs from process to process; decisions must not.
struct DenseTable<Name: Hashable, Value> {
  private var slots: [Name: Int] = [:]
  private(set) var entries: [(name: Name, value: Value)] = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  subscript(name: Name) -> Value? {
    // An empty table is the common one in tries: most nodes have no children.
    guard !entries.isEmpty, let slot = slots[name] else { return nil }
    return entries[slot].value
  }

  /// Adds a name, or gives it another value.
  mutating func set(_ name: Name, _ value: Value) {
    if let slot = slots[name] {
      entries[slot].value = value
    } else {
      slots[name] = entries.count
      entries.append((name, value))
    }
  }

  /// Changes a name's value in place, beginning with `initial` when the name is new.
  mutating func update(_ name: Name, default initial: Value, _ change: (inout Value) -> Void) {
    if slots[name] == nil { set(name, initial) }
    if let slot = slots[name] { change(&entries[slot].value) }
  }

  /// Takes a name away; the last entry takes its place.
  @discardableResult
  mutating func remove(_ name: Name) -> Value? {
    guard let slot = slots.removeValue(forKey: name) else { return nil }
    let removed = entries[slot].value
    let last = entries.removeLast()
    if slot < entries.count {
      entries[slot] = last
      slots[last.name] = slot
    }
    return removed
  }
}
