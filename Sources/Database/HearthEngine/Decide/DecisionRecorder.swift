import HearthRules
import HearthTree

/// A recorder of an engine's decisions, to be repeated later with staged rules. The engine does not wait for results.
///
/// Administrators bypass the rules, so their requests have no decisions.
struct DecisionRecorder: Sendable {
  let detail: RecordingDetail
  private var decided = RecordedDecisions()

  /// The most recorded decisions of one batch, enough for its commands. Redecisions can be far more; beyond the limit
  /// only their number is recorded.
  static let casesMax = 4_096
  /// The minimum memory that an old version of the tree retains for one replaced value, in bytes: the tree's nodes on
  /// the path to it.
  static let changeBytes = 4 << 10
  /// The most bytes that are examined to measure the replaced data of a commit.
  static let replacedBytesMax = 64 << 20

  init(_ detail: RecordingDetail) { self.detail = detail }

  /// Returns the decisions recorded since the last call.
  mutating func take() -> RecordedDecisions {
    defer { decided = RecordedDecisions() }
    return decided
  }

  /// Records a read.
  ///
  /// - Parameter isAllowed: The decision; nil when the rules need not be evaluated.
  mutating func noteRead(
    _ operation: RecordedDecision.Operation, _ path: Path, _ query: Query?, _ principal: Principal,
    _ state: DatabaseState,
    _ now: Instant, _ isAllowed: Bool?
  ) {
    guard let isAllowed, !principal.readsAll else { return }
    note(operation, isAllowed) {
      RecordedDecision(
        operation, path, query: query, as: principal, of: state, nowMilliseconds: now.wallMilliseconds,
        isAllowed: isAllowed)
    }
  }

  mutating func noteWrite(
    _ operation: RecordedDecision.Operation, _ request: WriteRequest, _ principal: Principal, _ rules: RuleSet,
    _ isAllowed: Bool, _ touchedBytes: Int
  ) {
    note(operation, isAllowed) {
      RecordedDecision(
        operation: operation, request: .write(request), rules: rules, isAllowed: isAllowed, uid: principal.uid,
        sizeBytes: touchedBytes)
    }
  }

  private mutating func note(
    _ operation: RecordedDecision.Operation, _ isAllowed: Bool, _ decidedCase: () -> RecordedDecision
  ) {
    decided.count(operation, isAllowed: isAllowed)
    if detail == .cases, decided.cases.count < Self.casesMax {
      decided.cases.append(decidedCase())
    } else {
      decided.unrecordedCount += 1
    }
  }

  /// Records decisions that another engine made for this one.
  mutating func note(_ others: RecordedDecisions) {
    for other in others.cases { note(other.operation, other.isAllowed) { other } }
  }

  /// Records the replaced data of a commit, which stays in memory while a recorded decision retains the version before
  /// it.
  mutating func noteChange(_ commit: Commit) {
    guard detail == .cases else { return }
    for change in commit.changes {
      let limit = Self.replacedBytesMax - decided.replacedBytes
      guard limit > 0 else { return }
      decided.replacedBytes += Self.changeBytes + change.location.value(in: commit.oldRoot).heldBytes(upTo: limit)
    }
  }

  /// The number of recorded decisions.
  var decisionCount: Int { decided.cases.count }

  /// Drops the decisions recorded after the given count, because their command is decided again later.
  mutating func forget(from decisionCount: Int) {
    guard decisionCount < decided.cases.count else { return }
    for forgotten in decided.cases[decisionCount...] {
      decided.count(forgotten.operation, isAllowed: forgotten.isAllowed, by: -1)
    }
    decided.cases.removeSubrange(decisionCount...)
  }
}

/// The detail of decisions in an engine's batches.
public enum RecordingDetail: Sendable {
  /// The numbers of allowed and denied requests.
  case counts
  /// Every decision with all its inputs.
  case cases
}

extension Engine {
  /// Sets the detail of ``Batch/decided`` from now on; nil for none. It does not affect decisions.
  public mutating func recordDecisions(_ detail: RecordingDetail?) {
    guard detail != decisionRecorder?.detail else { return }
    decisionRecorder = detail.map { DecisionRecorder($0) }
  }
}
