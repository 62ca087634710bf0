import HearthRules

/// What one rules file allows and another does not, in both directions. "Closed" in a direction is a proof that there is no
/// such request.
///
/// Not for two threads at once. Both files must have been compiled with their expressions.
package final class RulesDifference {
  /// Which way something changed.
  package enum Direction: String, Sendable, CaseIterable {
    /// The new file allows it and the old one does not.
    case opened
    /// The old file allowed it and the new one does not.
    case closed
  }

  /// One answer: open with a request that the two files answer differently, confirmed by the evaluator.
  package struct Entry: Sendable {
    /// Where, what and who.
    package var question: ExposureQuestion
    /// Which way.
    package var direction: Direction
    /// What is known of it.
    package var verdict: ExposureVerdict
  }

  /// Every location of either file, those of the new one first.
  package let locations: [ExposureLocation]
  /// Nobody, anyone, other, a holder of each claim that one of the files names, and users with any claims: what takes
  /// several at once is no less of a difference.
  package let identities: [ExposureIdentity]
  private let opened: Prover
  private let closed: Prover

  /// - Parameters:
  ///   - old: what was in force.
  ///   - new: what is to be.
  ///   - nowMilliseconds: no request is earlier.
  package init(from old: RuleSet, to new: RuleSet, nowMilliseconds: Int64) {
    locations = ExposureLocation.all(in: [new, old])
    var claims = ClaimsNamed.all(in: new)
    claims += ClaimsNamed.all(in: old).filter { !claims.contains($0) }
    identities = [.nobody, .anyone, .other] + claims + [.anyClaims]
    opened = Prover(new, denying: old, nowMilliseconds: nowMilliseconds)
    closed = Prover(old, denying: new, nowMilliseconds: nowMilliseconds)
  }

  /// The verdict on one question, whose location is one of ``locations``; nil when nobody is of the class there.
  package func verdict(_ question: ExposureQuestion, _ direction: Direction) -> ExposureVerdict? {
    if question.location.isSame(for: question.operation) {
      // Rules that are the same text at the same place answer the same.
      return question.identity == .other && opened.verdict(question) == nil ? nil : .closed
    }
    guard direction == .closed else { return opened.verdict(question) }
    var reversed = question
    reversed.location = question.location.reversed
    return closed.verdict(reversed)
  }

  /// What changed, and what could not be decided, for writes alone and as one path of an update. Without any, nothing changed: proved. Users with any claims are only named
  /// where no other class makes the difference.
  package func entries() -> [Entry] {
    var result: [Entry] = []
    for location in locations {
      for operation in ExposureOperation.allCases where !location.isSame(for: operation) {
        for direction in Direction.allCases {
          var isTold = false
          for identity in identities where !(isTold && identity == .anyClaims) {
            var question = ExposureQuestion(location: location, operation: operation, identity: identity)
            // What tells two files apart may take other paths of the same update.
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

  /// True when all rules that are asked are the same in the two files: they have one text and stand at one place.
  fileprivate func isSame(for operation: ExposureOperation) -> Bool {
    guard chains.count == 2 else { return false }
    let pairs = zip(chains[0], chains[1])
    let (last, other) = (chains[0].last ?? nil, chains[1].last ?? nil)
    switch operation {
    case .read: return pairs.allSatisfy { SameRules.areSame($0?.read, $1?.read) }
    case .write:
      return pairs.allSatisfy {
        SameRules.areSame($0?.write, $1?.write) && SameRules.areSame($0?.validate, $1?.validate)
      }
        && SameRules.validateSame(last, other)
    }
  }
}
