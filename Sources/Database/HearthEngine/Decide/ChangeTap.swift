import HearthTree

/// What others want of an engine's commits: to be handed them, and to refuse some beforehand.
public struct ChangeTap: Sendable {
  /// Why a write is not to be made, when it is one of those; nil asks nobody. It goes by nothing but the change, and is
  /// quick: everything else waits for it.
  private let refusal: (@Sendable (CommittedChange) -> Failure?)?
  /// What was handed over since it was last asked.
  private var changes: [CommittedChange] = []

  /// Hands out commits.
  public init(refusal: (@Sendable (CommittedChange) -> Failure?)? = nil) { self.refusal = refusal }

  mutating func take() -> [CommittedChange] {
    defer { changes = [] }
    return changes
  }

  /// The same as this, with what another one has noted.
  func going(on other: ChangeTap?) -> ChangeTap {
    var tap = self
    tap.changes = other?.changes ?? []
    return tap
  }

  /// Notes a commit for those who want it.
  ///
  /// - Parameter writer: nil when nobody is to make anything of it.
  mutating func note(_ commit: Commit, by writer: Principal?, at now: Instant) {
    if let writer { changes.append(CommittedChange(commit, by: writer, at: now)) }
  }

  /// Returns the reason why somebody does not want a commit to be made.
  func objection(to commit: Commit, by writer: Principal?, at now: Instant) -> Failure? {
    guard let refusal, let writer, !commit.changes.isEmpty else { return nil }
    return refusal(CommittedChange(commit, by: writer, at: now))
  }
}

extension CommittedChange {
  fileprivate init(_ commit: Commit, by principal: Principal, at now: Instant) {
    self.init(
      position: commit.position, wallMilliseconds: now.wallMilliseconds, paths: commit.changes.map(\.location.path),
      oldRoot: commit.oldRoot, newRoot: commit.newRoot, principal: principal)
  }
}

extension Engine {
  /// Hands out the commits in ``Batch/changes`` from now on; nil hands out none. What was noted before goes on.
  public mutating func tapChanges(_ tap: ChangeTap?) {
    let former = changeTap
    changeTap = tap?.going(on: former)
  }
}
