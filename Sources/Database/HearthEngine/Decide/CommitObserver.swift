import HearthTree

/// A recipient of an engine's commits, which may refuse some before they are made.
public struct CommitObserver: Sendable {
  /// The check that returns the reason to refuse a write, or nil to allow it; nil when there is no check. It must
  /// depend on the change alone and be fast, because the database waits for it.
  private let refusal: (@Sendable (CommittedChange) -> Failure?)?
  /// The commits since the last call of ``take()``.
  private var changes: [CommittedChange] = []

  /// Creates an observer of commits.
  public init(refusal: (@Sendable (CommittedChange) -> Failure?)? = nil) { self.refusal = refusal }

  mutating func take() -> [CommittedChange] {
    defer { changes = [] }
    return changes
  }

  /// Returns the same observer with the commits that another one has recorded.
  func keepingCommits(of other: CommitObserver?) -> CommitObserver {
    var observer = self
    observer.changes = other?.changes ?? []
    return observer
  }

  /// Records a commit.
  ///
  /// - Parameter writer: The author; nil for a commit that fires no triggers.
  mutating func note(_ commit: Commit, by writer: Principal?, at now: Instant) {
    if let writer { changes.append(CommittedChange(commit, by: writer, at: now)) }
  }

  /// Returns the reason to refuse a commit, or nil when it is allowed.
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
  /// Sets the recipient whose commits appear in ``Batch/changes`` from now on; nil for none. Commits recorded before
  /// are kept.
  public mutating func observeCommits(_ observer: CommitObserver?) {
    let former = commitObserver
    commitObserver = observer?.keepingCommits(of: former)
  }
}
