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

  /// Removes what branches may contain of deleted data: the keys of places, from the data, and keys and values from
  /// indexes, of which those without a query are removed and the pages of others are built anew. It takes as long as
  /// reading the latter.
  ///
  /// - Returns: False when a page cannot be read; that index or the data has not changed.
  package mutating func forgetDeleted(_ places: [Path]) -> Bool {
    defer { updateStoredIndexes() }
    let (new, faults) = FaultScope.run(.install) { places.reduce(state.root) { $0.forgettingKey(at: $1) } }
    guard !faults.isIncomplete else { return false }
    state.root = new
    return listens.renewIndexes()
  }
}
