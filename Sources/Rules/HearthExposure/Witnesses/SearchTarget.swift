import HearthRules
import HearthTree

/// The target of a search: a request at an instance of a location that one rules file allows and that another file, if
/// there is one, does not allow.
struct SearchTarget {
  let identity: ExposureIdentity
  let operation: ExposureOperation
  let location: ExposureLocation
  let change: FactChange
  /// The keys of the written or read place.
  let keys: [TermID]
  /// The nodes of the allowing file from the root to the place; nil below the last node that the file has.
  let allowed: [RuleNode?]
  /// True when the request writes a value at the place, so that the rules below it apply.
  let carriesValue: Bool
  let form: Form
  let rules: RuleSet
  /// The file that must not allow the request; nil for a question about one file.
  let denying: RuleSet?
  let nowMilliseconds: Int64

  /// The forms of a request.
  enum Form {
    case read, set, delete, priority
  }

  /// Returns true when a request meets the target, as the evaluator decides.
  func accepts(_ witness: ExposureWitness) -> Bool {
    guard witness.decision(by: rules).isAllowed else { return false }
    return denying.map { !witness.decision(by: $0).isAllowed } ?? true
  }
}

/// A written place, with its rules.
struct WrittenPlace {
  var place: PlaceID
  var keys: [TermID]
  var node: RuleNode?
}
