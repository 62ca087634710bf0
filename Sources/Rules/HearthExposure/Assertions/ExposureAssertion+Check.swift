import HearthRules

extension ExposureAssertion {
  /// The result of checking an assertion.
  package enum Result: Sendable {
    /// The assertion is true for the number of locations.
    case proved(locations: Int)
    /// The assertion is false: the request of the verdict is allowed although the assertion forbids it, or no request
    /// is allowed although the assertion requires one.
    case refuted(ExposureQuestion, ExposureVerdict)
    /// The assertion could not be decided, for this reason.
    case undecided(ExposureQuestion, ExposureReason)
  }

  /// Returns the result for all questions of the assertion. Writes are checked alone and as part of an update of
  /// several paths.
  package func check(_ exposure: Exposure) -> Result {
    let locations = exposure.locations(pattern)
    // The last class includes all signed-in clients. The others come first, because their example requests are easier
    // to understand.
    let identities = self.identities ?? exposure.identities.filter { $0 != .otherUser } + [.anyClaims, .anyAuth]
    var doubt: (ExposureQuestion, ExposureReason)?
    var count = 0
    for location in locations {
      for identity in identities {
        var question = ExposureQuestion(location: location, operation: operation, identity: identity)
        question.isUpdate = operation == .write && !isPermission
        // When no key of the path is compared with the uid, `other` is the same as `anyone`.
        if identity == .otherUser, exposure.verdict(question) == nil { question.identity = .signedIn }
        guard let verdict = exposure.verdict(question) else { continue }
        count += 1
        switch verdict {
        case .undecided(let reason): doubt = doubt ?? (question, reason)
        case .open where isPermission, .closed where !isPermission: break
        default: return .refuted(question, verdict)
        }
      }
    }
    if let doubt { return .undecided(doubt.0, doubt.1) }
    return .proved(locations: locations.count)
  }
}
