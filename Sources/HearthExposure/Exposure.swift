import HearthRules
import HearthTree

/// What a rules file lets strangers do: for every location, operation and class of users proved closed, open with a request
/// that shows it, or undecided.
///
/// Not for two threads at once. The rules must have been compiled with their expressions.
package final class Exposure {
  /// What is known of one location for one operation and class.
  package struct Entry: Sendable {
    /// Where, what and who.
    package var question: ExposureQuestion
    /// What is known of it.
    package var verdict: ExposureVerdict
  }

  /// Every location of the file.
  package let locations: [ExposureLocation]
  /// Nobody, anyone, other, and a holder of each claim that the file names.
  package let identities: [ExposureIdentity]
  private let rules: RuleSet
  private let prover: Prover

  /// - Parameters:
  ///   - rules: compiled with `keepsExpressions`.
  ///   - nowMilliseconds: no request is earlier. What a rule allowed until some time before is closed.
  package init(of rules: RuleSet, nowMilliseconds: Int64) {
    self.rules = rules
    locations = ExposureLocation.all(in: [rules])
    identities = [.nobody, .anyone, .other] + ClaimsNamed.all(in: rules)
    prover = Prover(rules, nowMilliseconds: nowMilliseconds)
  }

  /// The verdict on one question; nil when nobody is of the class there: no key of the location is compared with the
  /// uid.
  package func verdict(_ question: ExposureQuestion) -> ExposureVerdict? { prover.verdict(question) }

  func locations(_ pattern: [ExposurePattern.Part]) -> [ExposureLocation] {
    ExposurePattern.locations(pattern, in: rules)
  }

  /// Every answer, location by location.
  ///
  /// - Parameter updates: writes are asked about as part of an update of several paths as well.
  package func entries(updates: Bool = false) -> [Entry] {
    var result: [Entry] = []
    for location in locations {
      for operation in ExposureOperation.allCases {
        var known: ExposureWitness?
        for identity in identities {
          var question = ExposureQuestion(location: location, operation: operation, identity: identity)
          question.isUpdate = updates && operation == .write
          guard prover.concerns(question) else { continue }
          let verdict = known.flatMap { again($0, question) } ?? verdict(question)
          if case .open(let witness, _)? = verdict, known == nil, !identity.hasCustomClaim { known = witness }
          if let verdict { result.append(Entry(question: question, verdict: verdict)) }
        }
      }
    }
    return result
  }

  /// What one user may do another often may too: the request as somebody of another class, if it is allowed as well.
  ///
  /// - Parameter witness: of a class without custom claims, so that nobody is shown with a claim that is not of their class.
  private func again(_ witness: ExposureWitness, _ question: ExposureQuestion) -> ExposureVerdict? {
    var witness = witness
    guard let auth = question.identity.auth(like: witness.auth) else { return nil }
    if question.identity == .other, witness.path.keys.contains(where: { $0.text == auth["uid"]?.string }) { return nil }
    witness.auth = auth
    let decision = witness.decision(by: rules)
    return decision.isAllowed ? .open(witness, grantedBy: decision.rule) : nil
  }
}
