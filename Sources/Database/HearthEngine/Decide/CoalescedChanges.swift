import HearthTree

/// Changes of consecutive commits without individual listeners or dependent permissions, which are applied together at
/// less cost.
struct CoalescedChanges {
  private let isCoalescing: Bool
  private var waiting: [(path: Path, node: Node)] = []

  /// Creates an empty run.
  ///
  /// - Parameter isCoalescing: True when only the result of all commits matters.
  init(isCoalescing: Bool) { self.isCoalescing = isCoalescing }

  /// Adds a record to be applied later.
  ///
  /// - Returns: False for a record that must be followed by itself, after ``make(in:)``.
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
