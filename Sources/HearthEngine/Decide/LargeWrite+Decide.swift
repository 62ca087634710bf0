import HearthRules
import HearthTree

extension LargeWrite {
  /// Decides it. Takes as long as it takes.
  public func decided() -> DecidedWrite {
    var state = state
    // The sessions are not this engine's to end.
    state.sessions = Sessions()
    var engine = Engine(state: state, limits: limits)
    engine.notes = LargeWriteNotes()
    if isTapped { engine.tapDecisions(.cases) }
    var command = command
    command.principal = principal
    let batch = engine.decide([command], at: now)
    return DecidedWrite(
      write: self, effects: batch.effects, record: batch.payload, root: batch.state.root,
      notes: engine.notes ?? LargeWriteNotes(), indexes: indexes(of: batch.state.root), cases: batch.decided)
  }

  /// Orders of large places that are new altogether. The engine makes small ones itself, and moves those of places in
  /// which only something changed.
  private func indexes(of root: Node) -> [PlaceIndex] {
    orders.compactMap { path, order in
      let node = root[path]
      guard node.childCount >= limits.orderedChildrenMin, !node.isIdentical(to: state.root[path]) else { return nil }
      var cost = QueryCost()
      return PlaceIndex(path: path, node: node, index: ChildIndex(node, by: order, cost: &cost))
    }
  }
}
