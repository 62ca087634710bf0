import HearthRules
import HearthTree

/// The target of a search: a request at instances of a location that one rules file allows, and another, if there is
/// one, does not.
struct SearchTarget {
  let identity: ExposureIdentity
  let operation: ExposureOperation
  let location: ExposureLocation
  let change: FactChange
  /// The keys of the written or read place.
  let keys: [TermID]
  /// The nodes of the allowing file from the root to the place; nil below the last named one.
  let allowed: [RuleNode?]
  /// True when the write puts a value at the place, so that the rules below it apply.
  let carriesValue: Bool
  let form: Form
  let rules: RuleSet
  /// The file that must not allow it; nil for a question about one file.
  let denying: RuleSet?
  let nowMilliseconds: Int64

  /// The ways to write.
  enum Form {
    case read, set, delete, priority
  }

  /// Returns true when a request meets the target, as the evaluator decides.
  func accepts(_ witness: ExposureWitness) -> Bool {
    guard witness.decision(by: rules).isAllowed else { return false }
    return denying.map { !witness.decision(by: $0).isAllowed } ?? true
  }
}

/// A written place, with the rules there.
struct WrittenPlace {
  var place: PlaceID
  var keys: [TermID]
  var node: RuleNode?
}
