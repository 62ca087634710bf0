import HearthRules
import HearthTree

/// Notes the decisions that an engine makes, for others to judge after it. The engine asks nothing back, and waits for
/// nobody.
///
/// Administrators pass the rules: nothing was decided.
struct DecisionTap: Sendable {
  let detail: DecisionTapDetail
  private var decided = DecidedCases()

  /// Cases of one batch: as many as its commands may come to. Listens that are decided again can be far more; of those
  /// beyond, only the number is told.
  static let casesMax = 4_096
  /// What replacing one value at least leaves behind: pages of the tree on the way there.
  static let changeBytes = 4 << 10
  /// What is looked at to tell how much a commit replaced.
  static let replacedBytesMax = 64 << 20

  init(_ detail: DecisionTapDetail) { self.detail = detail }

  /// What was noted since it was last asked.
  mutating func take() -> DecidedCases {
    defer { decided = DecidedCases() }
    return decided
  }

  /// - Parameter isAllowed: nil when the rules need not be asked.
  mutating func noteRead(
    _ operation: DecidedCase.Operation, _ path: Path, _ query: Query?, _ principal: Principal, _ state: Published,
    _ now: Instant, _ isAllowed: Bool?
  ) {
    guard let isAllowed, !principal.readsAll else { return }
    note(operation, isAllowed) {
      DecidedCase(
        operation, path, query: query, as: principal, of: state, nowMilliseconds: now.wallMilliseconds,
        isAllowed: isAllowed)
    }
  }

  mutating func noteWrite(
    _ operation: DecidedCase.Operation, _ request: WriteRequest, _ principal: Principal, _ rules: RuleSet,
    _ isAllowed: Bool, _ touchedBytes: Int
  ) {
    note(operation, isAllowed) {
      DecidedCase(
        operation: operation, request: .write(request), rules: rules, isAllowed: isAllowed, uid: principal.uid,
        sizeBytes: touchedBytes)
    }
  }

  private mutating func note(
    _ operation: DecidedCase.Operation, _ isAllowed: Bool, _ decidedCase: () -> DecidedCase
  ) {
    decided.count(operation, isAllowed: isAllowed)
    if detail == .cases, decided.cases.count < Self.casesMax {
      decided.cases.append(decidedCase())
    } else {
      decided.unkeptCount += 1
    }
  }

  /// Decisions that another engine made for this one.
  mutating func note(_ others: DecidedCases) {
    for other in others.cases { note(other.operation, other.isAllowed) { other } }
  }

  /// What a commit replaced stays in memory as long as an older version of the tree is held.
  mutating func noteChange(_ commit: Commit) {
    guard detail == .cases else { return }
    for change in commit.changes {
      let limit = Self.replacedBytesMax - decided.replacedBytes
      guard limit > 0 else { return }
      decided.replacedBytes += Self.changeBytes + change.location.value(in: commit.oldRoot).heldBytes(upTo: limit)
    }
  }

  /// The number of decisions that are noted.
  var caseCount: Int { decided.cases.count }

  /// Decisions that do not count after all.
  mutating func forget(from caseCount: Int) {
    guard caseCount < decided.cases.count else { return }
    for forgotten in decided.cases[caseCount...] {
      decided.count(forgotten.operation, isAllowed: forgotten.isAllowed, by: -1)
    }
    decided.cases.removeSubrange(caseCount...)
  }
}

/// What of an engine's decisions is handed out in its batches.
public enum DecisionTapDetail: Sendable {
  /// How many were allowed and denied.
  case counts
  /// Every decision, with all that it was made from.
  case cases
}

extension Engine {
  /// Hands out decisions in ``Batch/decided`` from now on; nil hands out none. It changes nothing that is decided.
  public mutating func tapDecisions(_ detail: DecisionTapDetail?) {
    guard detail != tap?.detail else { return }
    tap = detail.map { DecisionTap($0) }
  }
}
