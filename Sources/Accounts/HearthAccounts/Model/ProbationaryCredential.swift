/// A credential that a session without a recent sign-in has added.
///
/// Apps add credentials at any time, as in Firebase Authentication. An attacker with a stolen token could so add a credential of
/// their own, sign in by it, and have a recent sign-in. So a sign-in by such a credential does not count as a recent one until the
/// owner, who was mailed, has had time to remove it.
struct ProbationaryCredential: Sendable, Equatable {
  /// The provider of a session that begins by it: `password` for a first address as well.
  var providerID: String
  /// The Unix time, in seconds, from which a sign-in by this credential counts as recent.
  var untilSeconds: Int64

  /// The time for which a sign-in by such a credential does not count as recent.
  static let lifetimeSeconds: Int64 = 7 * 86_400
}

extension UserRecord {
  /// Returns true when a sign-in by the provider does not count as recent.
  func isProbationary(_ providerID: String, nowSeconds: Int64) -> Bool {
    probationaryCredentials.contains { $0.providerID == providerID && $0.untilSeconds > nowSeconds }
  }

  /// Notes the credentials that a session has added to the account.
  ///
  /// - Parameter isRecent: true when the session's sign-in is recent: then the added credentials are not probationary.
  mutating func recordProbation(addedSince old: UserRecord, isRecent: Bool, nowSeconds: Int64) {
    let added = old.providersLost(since: self).union(old.email == nil && email != nil ? [ProviderID.password] : [])
    let gone = providersLost(since: old)
    probationaryCredentials.removeAll { credential in
      added.contains(credential.providerID) || gone.contains(credential.providerID)
        || credential.untilSeconds <= nowSeconds
    }
    // An anonymous account has no other credential to protect from its own session.
    guard !isRecent, !old.isAnonymous else { return }
    probationaryCredentials += added.sorted().map {
      ProbationaryCredential(providerID: $0, untilSeconds: nowSeconds + ProbationaryCredential.lifetimeSeconds)
    }
  }
}
