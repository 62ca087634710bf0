import HearthRules
import HearthTree

/// The analysis of the access that a rules file allows: for every location, operation and class of users, access is
/// proved closed, open with an example request, or undecided.
///
/// The class is not thread-safe. The rules must have been compiled with `keepsExpressions`.
package final class Exposure {
  /// The verdict on one location for one operation and class.
  package struct Entry: Sendable {
    /// The location, operation and class of users.
    package var question: ExposureQuestion
    /// The verdict.
    package var verdict: ExposureVerdict
  }

  /// Every location of the file.
  package let locations: [ExposureLocation]
  /// The classes of users: `nobody`, `anyone`, `other`, and the holders of each claim that the file uses.
  package let identities: [ExposureIdentity]
  private let rules: RuleSet
  private let prover: Prover

  /// Creates an analysis with all classes of users.
  ///
  /// - Parameters:
  /// - rules: The rules, compiled with `keepsExpressions`.
  /// - nowMilliseconds: The earliest time of a request. Access that a rule allows only before this time is closed.
  package convenience init(of rules: RuleSet, nowMilliseconds: Int64) {
    self.init(
      of: rules, nowMilliseconds: nowMilliseconds,
      identities: [.signedOut, .signedIn, .otherUser] + NamedClaims.all(in: rules))
  }

  /// Creates an analysis without custom claims: ``identities`` are `nobody`, `anyone` and `other`.
  ///
  /// - Parameters:
  /// - rules: The rules, compiled with `keepsExpressions`.
  /// - nowMilliseconds: The earliest time of a request.
  package convenience init(withoutCustomClaims rules: RuleSet, nowMilliseconds: Int64) {
    self.init(of: rules, nowMilliseconds: nowMilliseconds, identities: [.signedOut, .signedIn, .otherUser])
  }

  init(
    of rules: RuleSet, nowMilliseconds: Int64, identities: [ExposureIdentity], faults: ExposureFaults = []
  ) {
    self.rules = rules
    self.identities = identities
    locations = ExposureLocation.all(in: [rules])
    prover = Prover(rules, nowMilliseconds: nowMilliseconds, faults: faults)
  }

  /// Returns the verdict on one question; nil when the class has no users at the location, because no key of the
  /// location is compared with the uid.
  package func verdict(_ question: ExposureQuestion) -> ExposureVerdict? { prover.verdict(question) }

  func locations(_ pattern: [ExposurePattern.Part]) -> [ExposureLocation] {
    ExposurePattern.locations(pattern, in: rules)
  }

  /// Returns all verdicts, ordered by location.
  ///
  /// - Parameter updates: True to include verdicts on writes as part of an update of several paths.
  package func entries(updates: Bool = false) -> [Entry] {
    var result: [Entry] = []
    // The verdicts on reads at the ancestors of the next location.
    var reads: [[ExposureVerdict?]] = []
    for location in locations {
      reads.removeLast(reads.count - location.steps.count)
      for operation in ExposureOperation.allCases {
        let isInherited = operation == .read && location.chains[0].last??.read == nil
        let verdicts = verdicts(
          at: location, operation, isUpdate: updates && operation == .write, above: isInherited ? reads.last : nil)
        if operation == .read { reads.append(verdicts) }
        for (identity, verdict) in zip(identities, verdicts) {
          guard let verdict else { continue }
          let question = question(location, operation, identity, isUpdate: updates && operation == .write)
          result.append(Entry(question: question, verdict: verdict))
        }
      }
    }
    return result
  }

  private func question(
    _ location: ExposureLocation, _ operation: ExposureOperation, _ identity: ExposureIdentity, isUpdate: Bool
  ) -> ExposureQuestion {
    var question = ExposureQuestion(location: location, operation: operation, identity: identity)
    question.isUpdate = isUpdate
    return question
  }

  /// Returns the verdicts on all classes, nil for a class without users. Verdicts that follow from earlier ones are not
  /// proved again.
  ///
  /// - Parameter above: The verdicts at the parent location, when the same rules apply there; nil otherwise.
  private func verdicts(
    at location: ExposureLocation, _ operation: ExposureOperation, isUpdate: Bool, above: [ExposureVerdict?]?
  ) -> [ExposureVerdict?] {
    var verdicts: [ExposureVerdict?] = []
    var known: ExposureWitness?
    let anyone = identities.firstIndex(of: .signedIn)
    for (index, identity) in identities.enumerated() {
      let question = question(location, operation, identity, isUpdate: isUpdate)
      guard prover.concerns(question) else {
        verdicts.append(nil)
        continue
      }
      let overAll = anyone.flatMap { $0 < index ? verdicts[$0] : nil }
      let verdict =
        known.flatMap { again($0, question) } ?? following(overAll, question)
        ?? above.flatMap { inherited($0[index] ?? anyone.flatMap { above?[$0] ?? nil }, question) }
        ?? self.verdict(question)
      if case .open(let witness, _)? = verdict, known == nil, !identity.hasCustomClaim { known = witness }
      verdicts.append(verdict)
    }
    return verdicts
  }

  /// Returns the verdict that follows from the one on the class `anyone`: an operation closed to it is closed to
  /// `other`, and to holders of a claim that no applicable rule reads.
  private func following(_ anyone: ExposureVerdict?, _ question: ExposureQuestion) -> ExposureVerdict? {
    guard case .closed? = anyone else { return nil }
    switch question.identity {
    case .otherUser: return .closed
    case .holder(let names, _):
      // The other paths of an update may be checked by any rules of the file.
      let isIndifferent =
        !question.isUpdate && prover.isIndifferent(to: names[0], at: question.location, question.operation)
      return isIndifferent ? .closed : nil
    case .signedOut, .signedIn, .anyClaims, .anyAuth: return nil
    }
  }

  /// Returns the verdict that follows from that at the parent location. A read is decided by the rules from the root to
  /// its location: without its own rule, a location is readable exactly when its parent is. A user of the class `other`
  /// at the location is of `other` or `anyone` at the parent.
  private func inherited(_ above: ExposureVerdict?, _ question: ExposureQuestion) -> ExposureVerdict? {
    switch above {
    case .closed?: return .closed
    case .open(var witness, _)?:
      for step in question.location.steps[witness.path.count...] {
        guard let key = key(step, beside: witness.path) else { return nil }
        witness.path = witness.path.appending(key)
      }
      if question.identity == .otherUser, witness.path.names(witness.auth) { return nil }
      return confirmed(witness)
    case .undecided?, nil: return nil
    }
  }

  /// Returns a key for a wildcard step, similar to the wildcard's name; nil when the few candidates are used already.
  private func key(_ step: ExposureLocation.Step, beside path: Path) -> Key? {
    switch step {
    case .key(let key): return Key(key)
    case .wildcard(let name, let excluded):
      let initial = name.dropFirst().first.map { $0.lowercased() } ?? "k"
      return (1...9).lazy.map { Key("\(initial)\($0)") }.first { key in
        key.problem == nil && !path.keys.contains(key) && !excluded.contains { Key($0) == key }
      }
    }
  }

  /// Repeats an allowed request as a user of another class, and returns the verdict if it is allowed too; nil
  /// otherwise.
  ///
  /// - Parameter witness: A request of a class without custom claims, so that the user does not have a claim of another
  ///   class.
  private func again(_ witness: ExposureWitness, _ question: ExposureQuestion) -> ExposureVerdict? {
    var witness = witness
    guard let auth = question.identity.auth(like: witness.auth) else { return nil }
    witness.auth = auth
    if question.identity == .otherUser, witness.path.names(auth) { return nil }
    return confirmed(witness)
  }

  private func confirmed(_ witness: ExposureWitness) -> ExposureVerdict? {
    let decision = witness.decision(by: rules)
    return decision.isAllowed ? .open(witness, grantedBy: decision.rule) : nil
  }
}

extension Path {
  /// Returns true when one of the keys is the user's uid.
  fileprivate func names(_ auth: JSON?) -> Bool { keys.contains { $0.text == auth?["uid"]?.string } }
}
