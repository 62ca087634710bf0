import HearthRules
import HearthTree

/// The indexes of large locations in the state, so that checkpoints store them and their pages can be evicted.
extension Engine {
  /// Takes over the indexes of the recovered state, and puts all indexes of large locations into later states. Indexes
  /// that the rules do not declare are removed. Called before the first batch.
  package mutating func storeIndexes() {
    listens.recordIndexes()
    for name in state.indexes.names {
      if let index = state.indexes.index(named: name), state.rules.declares(name.order, at: name.path) {
        listens.keep(
          MaintainedIndex(index: index, isDeclared: true, isWorthKeeping: true), at: listens.makeNode(at: name.path))
      } else {
        state.indexes.apply([name: nil])
      }
    }
    updateStoredIndexes()
  }

  /// Puts the changed indexes into the state.
  mutating func updateStoredIndexes() {
    let changes = listens.takeIndexChanges()
    if !changes.isEmpty { state.indexes.apply(changes) }
  }

  /// Removes from indexes the keys and values of deleted data that branches above their entries may contain: indexes
  /// that no query uses are removed, and the pages of the others are built anew. It takes as long as reading the latter.
  ///
  /// - Returns: False when the pages of an index cannot be read; that index has not changed.
  package mutating func renewIndexes() -> Bool {
    defer { updateStoredIndexes() }
    return listens.renewIndexes()
  }
}
