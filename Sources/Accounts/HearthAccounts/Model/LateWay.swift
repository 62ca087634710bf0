/// A credential that a session without a recent sign-in has added.
///
/// Apps add credentials at any time, as at the service. An attacker with a stolen token could so add a credential of
/// their own, sign in by it, and have a recent sign-in. So a sign-in by such a credential does not count as a recent
/// one until the owner, who was mailed, has had time to remove it.
struct LateWay: Sendable, Equatable {
  /// The provider of a session that begins by it: `password` for a first address as well.
  var providerID: String
  /// The end of that time, since 1970.
  var untilSeconds: Int64

  /// The time for which a sign-in by such a credential does not count as recent.
  static let lifetimeSeconds: Int64 = 7 * 86_400
}

extension UserRecord {
  /// Returns true when a sign-in by the provider does not count as recent.
  func isLate(_ providerID: String, nowSeconds: Int64) -> Bool {
    lateWays.contains { $0.providerID == providerID && $0.untilSeconds > nowSeconds }
  }

  /// Notes the credentials that a session has added to the account.
  ///
  /// - Parameter isRecent: true when the session's sign-in is recent: its additions count at once.
  mutating func noteWays(addedSince old: UserRecord, isRecent: Bool, nowSeconds: Int64) {
    let added = old.waysLost(since: self).union(old.email == nil && email != nil ? [ProviderID.password] : [])
    let gone = waysLost(since: old)
    lateWays.removeAll { way in
      added.contains(way.providerID) || gone.contains(way.providerID) || way.untilSeconds <= nowSeconds
    }
    // An anonymous account has no other credential to protect from its own session.
    guard !isRecent, !old.isAnonymous else { return }
    lateWays += added.sorted().map { LateWay(providerID: $0, untilSeconds: nowSeconds + LateWay.lifetimeSeconds) }
  }
}
