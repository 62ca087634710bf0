import HearthTree

extension RuleSet {
  /// The orders that `.indexOn` declares for the children of the node at `path`.
  public func indexes(at path: Path) -> [RuleIndex] {
    var node: RuleNode? = storage.root
    for key in path.keys { node = node?.child(key) }
    return node?.indexes ?? []
  }
}
