import HearthRules

/// What somebody might do at a location.
package enum ExposureOperation: String, Sendable, CaseIterable {
  /// Read it, with any query.
  case read
  /// Write it: set, delete, change its priority, or write what no rule names below it.
  case write
}

/// True when everybody of a class is kept from doing something at every instance of a location.
package struct ExposureQuestion: Sendable {
  /// Where.
  package var location: ExposureLocation
  /// What.
  package var operation: ExposureOperation
  /// By whom.
  package var identity: ExposureIdentity
  /// As one of several paths of one update, instead of alone. Only for writes.
  package var isUpdate = false

  /// A question of these parts, about requests for this alone.
  package init(location: ExposureLocation, operation: ExposureOperation, identity: ExposureIdentity) {
    self.location = location
    self.operation = operation
    self.identity = identity
  }
}

/// The reason why a question has no answer.
package enum ExposureReason: String, Sendable {
  /// The search took too many steps: ``ExposureLimits/searchNodesMax``.
  case searchTooLong = "the search took too many steps"
  /// An expression has too many ways to be true: ``ExposureLimits/alternativesMax``.
  case tooManyAlternatives = "an expression has too many alternatives"
  /// Nothing contradicts such a request, and none was found.
  case noWitness = "neither a proof nor a request was found"
}

/// What is known of a question.
package enum ExposureVerdict: Sendable {
  /// No such request is allowed: proved.
  case closed
  /// This request is allowed: the evaluator said so.
  case open(ExposureWitness, grantedBy: RuleReference?)
  /// Neither is known.
  case undecided(ExposureReason)

  /// A request is known that is allowed.
  package var isOpen: Bool { if case .open = self { true } else { false } }

  /// What scripts know it by.
  package var name: String {
    switch self {
    case .closed: "closed"
    case .open: "open"
    case .undecided: "undecided"
    }
  }
}
