import HearthRules

extension ExposureAssertion {
  /// What became of a sentence.
  package enum Result: Sendable {
    /// It is true, of so many locations.
    case proved(locations: Int)
    /// It is false: this is allowed although it should not be; or nothing is, although something should be.
    case refuted(ExposureQuestion, ExposureVerdict)
    /// Neither could be shown, because of this.
    case undecided(ExposureQuestion, ExposureReason)
  }

  /// Asks everything that the sentence says. Writes are asked about alone and as part of an update of several paths.
  package func check(_ exposure: Exposure) -> Result {
    let locations = exposure.locations(pattern)
    // Whoever is signed in is of the last class. The others come first, because their requests say more.
    let identities = self.identities ?? exposure.identities.filter { $0 != .other } + [.anyClaims, .anyAuth]
    var doubt: (ExposureQuestion, ExposureReason)?
    var count = 0
    for location in locations {
      for identity in identities {
        var question = ExposureQuestion(location: location, operation: operation, identity: identity)
        question.isUpdate = operation == .write && !isPermission
        // Where the path names no user, everybody is another.
        if identity == .other, exposure.verdict(question) == nil { question.identity = .anyone }
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
