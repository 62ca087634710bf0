import HearthRules

/// The differences between two rules files, in both directions. "Closed" in a direction is a proof that there is no
/// such request.
///
/// Not thread-safe. Both files must have been compiled with their expressions.
package final class RulesDifference {
  /// The direction of a change.
  package enum Direction: String, Sendable, CaseIterable {
    /// The new file allows it and the old one does not.
    case opened
    /// The old file allowed it and the new one does not.
    case closed
  }

  /// One verdict: open with a request that the two files answer differently, confirmed by the evaluator.
  package struct Entry: Sendable {
    /// The location, operation and class of users.
    package var question: ExposureQuestion
    /// The direction.
    package var direction: Direction
    /// The verdict.
    package var verdict: ExposureVerdict
  }

  /// The locations of either file at which rules differ, those of the new one first. All others are unchanged.
  package let locations: [ExposureLocation]
  /// The classes of users: `nobody`, `anyone`, `other`, a holder of each claim that one of the files names, and users
  /// with any claims, for differences that need several claims at once.
  private(set) lazy var identities: [ExposureIdentity] = {
    var claims = NamedClaims.all(in: new)
    claims += NamedClaims.all(in: old).filter { !claims.contains($0) }
    return Self.identities(claims)
  }()
  private let old: RuleSet
  private let new: RuleSet
  private let texts: TextSolver
  private let opened: Prover
  private let closed: Prover

  /// - Parameters:
  ///   - old: the rules in force.
  ///   - new: the new rules.
  ///   - nowMilliseconds: no request is earlier.
  ///   - former: a difference of files that have much in common with these; its results about texts are used again.
  package init(from old: RuleSet, to new: RuleSet, nowMilliseconds: Int64, after former: RulesDifference? = nil) {
    let isKept = former.map { $0.texts.languages.keptCount < ExposureLimits.languagesKeptMax } ?? false
    texts = former.flatMap { isKept ? $0.texts : nil } ?? TextSolver()
    locations = ExposureLocation.changed(from: old, to: new)
    (self.old, self.new) = (old, new)
    opened = Prover(new, denying: old, nowMilliseconds: nowMilliseconds, texts: texts)
    closed = Prover(old, denying: new, nowMilliseconds: nowMilliseconds, texts: texts)
  }

  private static func identities(_ claims: [ExposureIdentity]) -> [ExposureIdentity] {
    [.signedOut, .signedIn, .otherUser] + claims + [.anyClaims]
  }

  /// The classes whose verdicts may differ at a location: ``identities`` without holders of claims that no rule on the
  /// way to it, or below it, names.
  package func identities(at location: ExposureLocation) -> [ExposureIdentity] {
    Self.identities(NamedClaims.all(at: location))
  }

  /// The verdict on one question, whose location is one of ``locations``; nil when the class has no user there.
  package func verdict(_ question: ExposureQuestion, _ direction: Direction) -> ExposureVerdict? {
    if question.location.isSame(for: question.operation) {
      // Rules with the same text at the same place answer the same.
      return question.identity == .otherUser && opened.verdict(question) == nil ? nil : .closed
    }
    guard direction == .closed else { return opened.verdict(question) }
    var reversed = question
    reversed.location = question.location.reversed
    return closed.verdict(reversed)
  }

  /// The changes, and the questions that could not be decided, for writes alone and as one path of an update. No
  /// entries prove that nothing changed. Users with any claims are only named when no other class makes the difference.
  package func entries() -> [Entry] {
    var result: [Entry] = []
    for location in locations {
      for operation in ExposureOperation.allCases where !location.isSame(for: operation) {
        for direction in Direction.allCases {
          var isTold = false
          for identity in identities where !(isTold && identity == .anyClaims) {
            var question = ExposureQuestion(location: location, operation: operation, identity: identity)
            // The difference may need other paths of the same update.
            question.isUpdate = operation == .write
            switch verdict(question, direction) {
            case nil, .closed: break
            case let verdict?:
              isTold = isTold || verdict.isOpen
              result.append(Entry(question: question, direction: direction, verdict: verdict))
            }
          }
        }
      }
    }
    return result
  }
}

extension ExposureLocation {
  /// The same place with the files in the other order.
  fileprivate var reversed: ExposureLocation { ExposureLocation(steps: steps, chains: chains.reversed()) }
}
