import HearthEngine
import HearthPlugin
import HearthTree

/// An administrator's change of an account, read and validated. Absent members stay unchanged. Every value from an
/// administrator passes through this type.
package struct AccountChange: Sendable {
  /// A change of one value.
  package typealias Setting = FieldChange

  /// The new address, in canonical form.
  package var email = Setting<String>.kept
  /// True when the address is proven.
  package var isEmailVerified: Bool?
  /// The name that other users see.
  package var displayName = Setting<String>.kept
  /// The URL of the user's picture.
  package var photoURL = Setting<String>.kept
  /// The phone number, in E.164.
  package var phoneNumber = Setting<String>.kept
  /// The hash of the new password.
  package var password = Setting<StoredPassword>.kept
  /// The text of a JSON object without reserved names; an empty object clears the claims, and is shown as such.
  package var customAttributes = Setting<String>.kept
  /// True when the account is disabled: sign-ins to it are refused.
  package var isDisabled: Bool?
  /// The Unix time, in seconds, before which the user's tokens are revoked, as clients see it (`validSince`).
  package var validSinceSeconds: Int64?
  /// The creation time to show, for imported accounts.
  package var createdAtMilliseconds: Int64?
  /// The time of the last sign-in to show, for imported accounts.
  package var lastSignInAtMilliseconds: Int64?
  /// An identity of a provider that is added; it replaces the one of the same provider.
  package var linked: ProviderIdentity?
  /// Ids of providers whose identities are removed.
  package var unlinked: Set<String> = []
  /// The complete new list of second factors.
  package var factors: [FactorChange]?
  /// The ids of passkeys to remove; unknown ones are ignored.
  package var removedPasskeys: Set<String> = []

  /// Creates an empty change; the properties are set afterwards.
  package init() {}

  /// The stored form of cleared claims: an empty object, so that clients see that there are none.
  package static let noClaims = "{}"

  /// The consequences of an applied change.
  package struct Outcome: Sendable {
    var events: [AuditEvent.Kind] = []
    /// True when the user's existing tokens and sessions become invalid.
    var endsTokens = false
    /// The Unix time, in seconds, to show as the cutoff, when the administrator named one and nothing else ends the tokens.
    var shownSeconds: Int64?
    /// True when mailed codes end, as they belong to another state of the account.
    var endsTickets = false

    /// The most severe change among those made; it says which tokens end.
    var ending: AuditEvent.Kind {
      let grave: [AuditEvent.Kind] = [.userDisabled, .revoked, .passwordChanged, .emailChanged, .claimsChanged]
      return grave.first(where: events.contains) ?? events.first ?? .profileChanged
    }
  }

  /// True when the account's mailed codes become invalid, because they belong to an earlier state of it.
  package func apply(
    to user: inout UserRecord, revokesOnClaimChange: Bool
  ) throws(AccountError) -> Outcome {
    let old = user
    email.apply(to: &user.email)
    if user.email != old.email { user.isEmailVerified = false }
    if let isEmailVerified { user.isEmailVerified = isEmailVerified }
    // Without an address nothing is verified, and nothing can be mailed.
    if user.email == nil {
      user.isEmailVerified = false
      user.hasEmailLink = false
    }
    displayName.apply(to: &user.displayName)
    photoURL.apply(to: &user.photoURL)
    phoneNumber.apply(to: &user.phoneNumber)
    password.apply(to: &user.password)
    if !password.isKept { user.hasTemporaryPassword = false }
    customAttributes.apply(to: &user.customAttributes)
    if let isDisabled { user.isDisabled = isDisabled }
    if let createdAtMilliseconds { user.createdAtMilliseconds = createdAtMilliseconds }
    if let lastSignInAtMilliseconds { user.lastSignInAtMilliseconds = lastSignInAtMilliseconds }
    user.removeCredentials(unlinked)
    if let linked {
      user.identities.removeAll { $0.providerID == linked.providerID }
      user.identities.append(linked)
    }
    if let factors {
      let before = user.factors
      user.factors = try FactorChange.apply(factors, to: before)
      // The holder of a removed factor may also have the recovery codes that were stored with it.
      let isGone = before.contains { old in !user.factors.contains { $0.id == old.id && $0.kind == old.kind } }
      if isGone { user.recoveryCodes = [] }
    }
    user.passkeys.removeAll { removedPasskeys.contains($0.id) }
    var outcome = outcome(from: old, to: user, revokesOnClaimChange: revokesOnClaimChange)
    if let second = validSinceSeconds {
      outcome.events.append(.revoked)
      // The requested cutoff is ignored in this case: admin SDKs send the time of their own clock, which may be behind the last
      // sign-in here.
      outcome.shownSeconds = outcome.endsTokens ? nil : second
      outcome.endsTokens = true
    }
    return outcome
  }

  /// Returns true when the password is removed as one credential among others, as clients unlink it: no session ends by
  /// that.
  private func isPasswordUnlinked(_ old: UserRecord) -> Bool {
    old.password != nil && password.isKept && unlinked.contains("password")
  }

  private func outcome(from old: UserRecord, to user: UserRecord, revokesOnClaimChange: Bool) -> Outcome {
    var outcome = Outcome()
    func note(_ event: AuditEvent.Kind, when happened: Bool, ends: Bool = false) {
      guard happened else { return }
      outcome.events.append(event)
      outcome.endsTokens = outcome.endsTokens || ends
    }
    let isPhoneGone = old.phoneNumber != nil && user.phoneNumber == nil
    let isIdentityGone = old.identities.contains { !user.identities.contains($0) }
    note(.emailChanged, when: user.email != old.email, ends: old.email != nil)
    note(.passwordChanged, when: user.password != old.password && !isPasswordUnlinked(old), ends: true)
    note(.claimsChanged, when: !user.hasSameClaims(as: old), ends: revokesOnClaimChange)
    note(.userDisabled, when: user.isDisabled && !old.isDisabled, ends: true)
    note(.userEnabled, when: !user.isDisabled && old.isDisabled)
    note(.providerUnlinked, when: isPhoneGone || isIdentityGone || isPasswordUnlinked(old))
    note(.providerLinked, when: user.identities.contains { !old.identities.contains($0) })
    note(.factorRemoved, when: old.factors.contains { !user.factors.contains(where: $0.isSameFactor) })
    note(.factorEnrolled, when: user.factors.contains { !old.factors.contains(where: $0.isSameFactor) })
    // Sessions that began with a removed key end with it.
    note(.passkeyRemoved, when: old.passkeys.count > user.passkeys.count, ends: true)
    outcome.endsTickets = user.email != old.email || user.password != old.password
    return outcome
  }
}

extension UserRecord {
  /// Claims that were never set and claims that were cleared are the same: none.
  fileprivate func hasSameClaims(as other: UserRecord) -> Bool {
    (customAttributes ?? AccountChange.noClaims) == (other.customAttributes ?? AccountChange.noClaims)
  }
}

extension SecondFactor {
  /// Returns true when another record describes the same factor: the same id with the same number or secret.
  fileprivate func isSameFactor(_ other: SecondFactor) -> Bool { id == other.id && kind == other.kind }
}
