/// A dictionary with an iteration order that depends only on its operations.
///
/// The order of Swift's `Dictionary` differs between processes; the engine's decisions must not.
struct DenseTable<Name: Hashable, Value> {
  /// The most entries that are searched linearly. Most tables belong to nodes of tries and have one entry; a dictionary
  /// for each would take more memory than the rest of the trie.
  private static var scannedCountMax: Int { 8 }

  /// The index of each entry in ``entries``; empty while there are at most ``scannedCountMax``.
  private var slots: [Name: Int] = [:]
  private(set) var entries: [(name: Name, value: Value)] = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  subscript(name: Name) -> Value? {
    slot(of: name).map { entries[$0].value }
  }

  private func slot(of name: Name) -> Int? {
    entries.count > Self.scannedCountMax ? slots[name] : entries.firstIndex { $0.name == name }
  }

  func containsValue(where isMeant: (Value) -> Bool) -> Bool {
    for slot in entries.indices where isMeant(entries[slot].value) { return true }
    return false
  }

  /// Sets the value of a name.
  mutating func set(_ name: Name, _ value: Value) {
    if let slot = slot(of: name) {
      entries[slot].value = value
      return
    }
    entries.append((name, value))
    if !slots.isEmpty {
      slots[name] = entries.count - 1
    } else if entries.count > Self.scannedCountMax {
      for (slot, entry) in entries.enumerated() { slots[entry.name] = slot }
    }
  }

  /// Changes a name's value in place, or that of `initial` when the name has none.
  mutating func update(_ name: Name, default initial: Value, _ change: (inout Value) -> Void) {
    if slot(of: name) == nil { set(name, initial) }
    if let slot = slot(of: name) { change(&entries[slot].value) }
  }

  /// Removes a name; the last entry takes its index.
  @discardableResult
  mutating func remove(_ name: Name) -> Value? {
    guard let slot = slot(of: name) else { return nil }
    let removed = entries[slot].value
    let last = entries.removeLast()
    if slot < entries.count { entries[slot] = last }
    if entries.count <= Self.scannedCountMax {
      slots = [:]
    } else {
      slots[name] = nil
      if slot < entries.count { slots[last.name] = slot }
    }
    return removed
  }
}
