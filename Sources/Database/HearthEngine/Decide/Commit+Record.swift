import HearthTree

extension Commit {
  /// Creates a commit from the changes in its record.
  ///
  /// - Parameter mergeDepth: See ``CommitRecord/mergeDepth``.
  /// - Returns: nil when nothing changed.
  init?(
    _ changes: [(location: Location, node: Node)], _ mergeDepth: Int?, at position: Int64, on root: Node
  ) {
    guard let first = changes.first else { return nil }
    let newRoot = CommitRecord.apply(changes, to: root)
    let listed = changes.map { Change(location: $0.location, node: $0.node) }
    func isBelow(_ base: Path) -> Bool {
      listed.allSatisfy { base.contains($0.location.path) && ($0.location.path != base || $0.location.isPriority) }
    }
    if let mergeDepth, isBelow(first.location.path.prefix(mergeDepth)) {
      self.init(
        position: position, base: first.location.path.prefix(mergeDepth), isMerge: true, changes: listed, oldRoot: root,
        newRoot: newRoot)
    } else if listed.count == 1 {
      self.init(
        position: position, base: first.location.path, isMerge: false, changes: listed, oldRoot: root, newRoot: newRoot)
    } else {
      let base = listed.dropFirst().reduce(first.location.path) { $0.common(with: $1.location.path) }
      let isMerge = isBelow(base)
      let whole = [Change(location: Location(path: base), node: newRoot[base])]
      self.init(
        position: position, base: base, isMerge: isMerge, changes: isMerge ? listed : whole, oldRoot: root,
        newRoot: newRoot)
    }
  }
}

extension Path {
  /// Returns the longest common prefix of both paths.
  fileprivate func common(with other: Path) -> Path {
    prefix(zip(keys, other.keys).prefix { $0 == $1 }.count)
  }
}
