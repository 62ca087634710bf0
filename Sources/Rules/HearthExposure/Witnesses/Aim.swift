import HearthRules
import HearthTree

/// What a search looks for: a request at instances of a location that one rules file allows, and another, if there is
/// one, does not.
struct Aim {
  let identity: ExposureIdentity
  let operation: ExposureOperation
  let location: ExposureLocation
  let change: Change
  /// The keys of the written or read place.
  let keys: [TermID]
  /// The nodes of the allowing file from the root to the place; nil from where it names nothing.
  let allowed: [RuleNode?]
  /// The write puts a value at the place, and so is asked the rules below it.
  let carriesValue: Bool
  let form: Form
  let rules: RuleSet
  /// The file that must not allow it.
  let denying: RuleSet?
  let nowMilliseconds: Int64

  /// The ways to write.
  enum Form {
    case read, set, delete, priority
  }

  /// Returns true when a request is one of those that are looked for: the evaluator is asked.
  func accepts(_ witness: ExposureWitness) -> Bool {
    guard witness.decision(by: rules).isAllowed else { return false }
    return denying.map { !witness.decision(by: $0).isAllowed } ?? true
  }
}

/// A place that a write puts something at, and the rules there.
struct WrittenPlace {
  var place: PlaceID
  var keys: [TermID]
  var node: RuleNode?
}
