import HearthRules

/// The differences between two rules files, in both directions. The verdict "closed" for a direction means a proof that
/// there is no such request.
///
/// The class is not thread-safe. Both files must have been compiled with `keepsExpressions`.
package final class RulesDifference {
  /// The direction of a change.
  package enum Direction: String, Sendable, CaseIterable {
    /// The new file allows a request that the old one does not.
    case opened
    /// The old file allows a request that the new one does not.
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

  /// The locations of both files at which rules differ, those of the new file first. All other locations are unchanged.
  package let locations: [ExposureLocation]
  /// The classes of users: `nobody`, `anyone`, `other`, the holders of each claim that one of the files uses, and users
  /// with any claims, for differences that require several claims at once.
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

  /// Creates the difference of two files.
  ///
  /// - Parameters:
  /// - old: The active rules.
  /// - new: The new rules.
  /// - nowMilliseconds: The earliest time of a request.
  /// - former: The difference of similar files, whose results about texts are reused.
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

  /// Returns the classes whose verdicts may differ at a location: ``identities`` without the holders of claims that no
  /// rule above, at or below the location uses.
  package func identities(at location: ExposureLocation) -> [ExposureIdentity] {
    Self.identities(NamedClaims.all(at: location))
  }

  /// Returns the verdict on one question, whose location is one of ``locations``; nil when the class has no users at
  /// the location.
  package func verdict(_ question: ExposureQuestion, _ direction: Direction) -> ExposureVerdict? {
    if question.location.isSame(for: question.operation) {
      // Rules with the same text at the same location have the same result.
      return question.identity == .otherUser && opened.verdict(question) == nil ? nil : .closed
    }
    guard direction == .closed else { return opened.verdict(question) }
    var reversed = question
    reversed.location = question.location.reversed
    return closed.verdict(reversed)
  }

  /// Returns the changes, and the questions that could not be decided, for writes on their own and as one path of an
  /// update. An empty result proves that access did not change. The class of users with any claims is only included
  /// when no other class shows the difference.
  package func entries() -> [Entry] {
    var result: [Entry] = []
    for location in locations {
      for operation in ExposureOperation.allCases where !location.isSame(for: operation) {
        for direction in Direction.allCases {
          var isTold = false
          for identity in identities where !(isTold && identity == .anyClaims) {
            var question = ExposureQuestion(location: location, operation: operation, identity: identity)
            // The difference may only occur together with other paths of the same update.
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
  /// The same location with the files in reverse order.
  fileprivate var reversed: ExposureLocation { ExposureLocation(steps: steps, chains: chains.reversed()) }
}
