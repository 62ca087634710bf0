import HearthTree

/// Changes of commits of which nobody is told one by one, and on which no permission depends: they are made together, which
/// costs less.
struct ChangeRun {
  private let isTaking: Bool
  private var waiting: [(path: Path, node: Node)] = []

  /// - Parameter isTaking: Whether only what all of them lead to counts.
  init(isTaking: Bool) { self.isTaking = isTaking }

  /// Takes a record to be made later.
  ///
  /// - Returns: False for one that is to be followed by itself, after ``make(in:)``.
  mutating func takes(_ record: CommitRecord) -> Bool {
    guard isTaking, case .changes(let changes) = record.content, !changes.contains(where: \.location.isPriority) else {
      return false
    }
    waiting += changes.map { ($0.location.path, $0.node) }
    return true
  }

  /// Makes what was taken.
  mutating func make(in root: inout Node) {
    guard !waiting.isEmpty else { return }
    root = root.replacing(waiting)
    waiting = []
  }
}
