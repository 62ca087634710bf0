import HearthRules

/// An operation at a location.
package enum ExposureOperation: String, Sendable, CaseIterable {
  /// A read, with any query.
  case read
  /// A write: set, delete, a change of priority, or a write below the location at keys that no rule names.
  case write
}

/// The question whether all users of a class are denied an operation at every instance of a location.
package struct ExposureQuestion: Sendable {
  /// The location.
  package var location: ExposureLocation
  /// The operation.
  package var operation: ExposureOperation
  /// The class of users.
  package var identity: ExposureIdentity
  /// True for a write as one of several paths of one update, False for a write on its own.
  package var isUpdate = false

  /// Creates a question about requests with this operation only.
  package init(location: ExposureLocation, operation: ExposureOperation, identity: ExposureIdentity) {
    self.location = location
    self.operation = operation
    self.identity = identity
  }
}

/// The reason why a question could not be decided.
package enum ExposureReason: String, Sendable {
  /// The search took too many steps: ``ExposureLimits/searchNodesMax``.
  case searchTooLong = "the search needed too many steps"
  /// An expression has too many ways to be true: ``ExposureLimits/alternativesMax``.
  case tooManyAlternatives = "an expression has too many alternatives"
  /// Failure to find either a proof or an allowed request.
  case noWitness = "neither a proof nor a witness was found"
}

/// The answer to a question.
package enum ExposureVerdict: Sendable {
  /// A proof that no such request is allowed.
  case closed
  /// A request that is allowed, as the evaluator confirmed.
  case open(ExposureWitness, grantedBy: RuleReference?)
  /// The question could not be decided.
  case undecided(ExposureReason)

  /// True when an allowed request is known.
  package var isOpen: Bool { if case .open = self { true } else { false } }

  /// The name in JSON output.
  package var name: String {
    switch self {
    case .closed: "closed"
    case .open: "open"
    case .undecided: "undecided"
    }
  }
}
