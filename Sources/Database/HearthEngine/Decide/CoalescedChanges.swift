import HearthTree

/// Changes of consecutive commits that are applied together, at less cost, because no listener and no permission
/// depends on the states between them.
struct CoalescedChanges {
  private let isCoalescing: Bool
  private var waiting: [(path: Path, node: Node)] = []

  /// Creates an empty run.
  ///
  /// - Parameter isCoalescing: True when only the result of all commits matters.
  init(isCoalescing: Bool) { self.isCoalescing = isCoalescing }

  /// Adds a record to be applied later.
  ///
  /// - Returns: False for a record that must be applied by itself, after ``apply(to:)``.
  mutating func add(_ record: CommitRecord) -> Bool {
    guard isCoalescing, case .changes(let changes) = record.content, !changes.contains(where: \.location.isPriority)
    else {
      return false
    }
    waiting += changes.map { ($0.location.path, $0.node) }
    return true
  }

  /// Applies the added changes.
  mutating func apply(to root: inout Node) {
    guard !waiting.isEmpty else { return }
    root = root.replacing(waiting)
    waiting = []
  }
}
