import HearthTree

/// What several commits change, to be changed together, which costs less than one after the other: where nobody is told of
/// them one by one, and no permission depends on what changes, only the end counts.
struct ChangesTogether {
  private let isUsed: Bool
  private var waiting: [(path: Path, node: Node)] = []

  /// - Parameter isUsed: Whether anything is to wait.
  init(isUsed: Bool) { self.isUsed = isUsed }

  /// Takes a record's changes, or has all be made that wait.
  ///
  /// - Returns: Whether they wait now; otherwise the record is to be followed by itself, after them.
  mutating func take(_ record: CommitRecord, on root: inout Node) -> Bool {
    guard isUsed, case .changes(let changes) = record.content, !changes.contains(where: \.location.isPriority) else {
      apply(to: &root)
      return false
    }
    for change in changes { waiting.append((change.location.path, change.node)) }
    return true
  }

  /// Makes all changes that wait.
  mutating func apply(to root: inout Node) {
    if !waiting.isEmpty { root = root.replacing(waiting) }
    waiting = []
  }
}
