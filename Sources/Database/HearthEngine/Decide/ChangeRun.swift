import HearthTree

/// Changes of consecutive commits without individual listeners or dependent permissions, which are applied together at
/// less cost.
struct ChangeRun {
  private let isTaking: Bool
  private var waiting: [(path: Path, node: Node)] = []

  /// Creates an empty run.
  ///
  /// - Parameter isTaking: True when only the result of all commits matters.
  init(isTaking: Bool) { self.isTaking = isTaking }

  /// Adds a record to be applied later.
  ///
  /// - Returns: False for a record that must be followed by itself, after ``make(in:)``.
  mutating func takes(_ record: CommitRecord) -> Bool {
    guard isTaking, case .changes(let changes) = record.content, !changes.contains(where: \.location.isPriority) else {
      return false
    }
    waiting += changes.map { ($0.location.path, $0.node) }
    return true
  }

  /// Applies the added changes.
  mutating func make(in root: inout Node) {
    guard !waiting.isEmpty else { return }
    root = root.replacing(waiting)
    waiting = []
  }
}
