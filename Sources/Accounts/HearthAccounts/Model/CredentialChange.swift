import HearthPlugin

/// A change of a user's credentials: of a password, an address, a phone number, a provider, a second factor, a passkey
/// or the recovery codes.
///
/// Every such change goes through ``CredentialChangeService``, by the ``terms`` here; the store refuses a record whose
/// proofs differ without one of them. The table of the guide *Account changes* describes them, and a test checks each
/// row.
package enum CredentialChange: String, Sendable, CaseIterable {
  // Made in a session.
  case passwordLinked
  case passwordChanged
  case passwordUnlinked
  /// A mailed link becomes a credential, for the account's own address or as its first address.
  case addressLinked
  case addressChanged
  case phoneLinked
  case phoneReplaced
  case phoneUnlinked
  case providerLinked
  case providerUnlinked
  case factorEnrolled
  case factorWithdrawn
  case recoveryCodesReplaced
  case passkeyAdded
  case passkeyRemoved
  // Made by a mailed code.
  case passwordReset
  case addressConfirmed
  /// The owner of the former address reverts a change.
  case changeReverted
  // Made by a sign-in: a mailbox, or a provider that is trusted for the address, identifies the owner.
  case ownerIdentified
  // Made by an administrator, an import or a blocking function.
  case administered
}

extension CredentialChange {
  /// The proofs of an account that a change can touch.
  enum Aspect: Sendable, CaseIterable {
    case password, address, phone, identities, factors, passkeys, recoveryCodes
  }

  /// The condition under which a session's sign-in must be recent, within
  /// ``AccountsConfiguration/recentSignInSeconds``.
  enum Recency: Sendable {
    case never
    /// An anonymous user cannot sign in again.
    case unlessAnonymous
    case always
  }

  /// The sessions that a change ends.
  enum SessionEnding: Int, Sendable, Comparable {
    case none
    /// The sessions that began with the removed credential, except the caller's: their refresh tokens become invalid.
    case sameProvider
    /// All sessions but the caller's, with their ID tokens and session cookies, for an account that accepts only its
    /// passkeys.
    case othersIfPasskeyRequired
    /// All sessions but the caller's, with their ID tokens and session cookies.
    case others

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// The authority that a change requires.
  enum RequiredAuthority: Sendable {
    case session
    /// A session, or a 2.x client that shows the password with the request.
    case sessionOrPassword
    case mailedCode
    /// The change is made by a sign-in or an administrator, not by ``CredentialChangeService``.
    case elsewhere
  }

  /// The requirements and consequences of a change. A session must also have shown the account's second factor, and a passkey where
  /// the account accepts only passkeys.
  struct Terms: Sendable {
    var requiredAuthority = RequiredAuthority.session
    var recency = Recency.never
    var ends = SessionEnding.none
    /// True when the caller has shown the new credential: the new session's sign-in time is now.
    var renewsSignIn = false
    /// The mail to the address that the account had before, with a code that reverts the change; `nil` when none is
    /// sent.
    var notice: MailMessage.Kind?
    var event: AuditEvent.Kind
    var touches: Set<Aspect>
  }

  var terms: Terms {
    switch self {
    case .passwordLinked:
      Terms(
        recency: .unlessAnonymous, renewsSignIn: true, notice: .signInMethodAdded, event: .providerLinked,
        touches: [.password, .address])
    case .passwordChanged:
      Terms(
        requiredAuthority: .sessionOrPassword, recency: .always, ends: .others, notice: .passwordChanged,
        event: .passwordChanged,
        touches: [.password])
    case .passwordUnlinked: Self.unlinking([.password])
    case .addressLinked: Terms(event: .providerLinked, touches: [.address])
    case .addressChanged:
      Terms(
        requiredAuthority: .sessionOrPassword, recency: .always, ends: .others, notice: .recoverEmail,
        event: .emailChanged,
        touches: [.address, .password])
    case .phoneLinked: Terms(notice: .signInMethodAdded, event: .providerLinked, touches: [.phone])
    case .phoneReplaced:
      Terms(
        recency: .always, ends: .sameProvider, notice: .signInMethodAdded, event: .providerLinked, touches: [.phone])
    case .phoneUnlinked: Self.unlinking([.phone])
    case .providerLinked:
      Terms(notice: .signInMethodAdded, event: .providerLinked, touches: [.identities, .address])
    case .providerUnlinked: Self.unlinking([.identities])
    case .factorEnrolled:
      Terms(
        recency: .always, ends: .others, notice: .revertSecondFactor, event: .factorEnrolled,
        touches: [.factors, .recoveryCodes])
    case .factorWithdrawn:
      Terms(
        recency: .always, ends: .others, notice: .secondFactorRemoved, event: .factorRemoved, touches: [.factors])
    case .recoveryCodesReplaced:
      Terms(recency: .always, notice: .recoveryCodesReplaced, event: .factorEnrolled, touches: [.recoveryCodes])
    case .passkeyAdded:
      Terms(
        recency: .always, ends: .othersIfPasskeyRequired, notice: .passkeyAdded, event: .passkeyEnrolled,
        touches: [.passkeys])
    case .passkeyRemoved:
      Terms(recency: .always, ends: .others, notice: .passkeyRemoved, event: .passkeyRemoved, touches: [.passkeys])
    case .passwordReset: Self.byMail(.resetDone)
    case .addressConfirmed:
      Terms(
        requiredAuthority: .mailedCode, ends: .others, notice: .recoverEmail, event: .emailChanged, touches: [.address])
    case .changeReverted: Self.byMail(.changeReverted)
    case .ownerIdentified, .administered:
      Terms(requiredAuthority: .elsewhere, event: .revoked, touches: Set(Aspect.allCases))
    }
  }

  /// Firebase Authentication ends every session when a credential is unlinked; but clients do not read new tokens from the
  /// response, so the caller's session must stay valid here.
  private static func unlinking(_ touches: Set<Aspect>) -> Terms {
    Terms(
      recency: .always, ends: .sameProvider, notice: .signInMethodRemoved, event: .providerUnlinked, touches: touches)
  }

  private static func byMail(_ event: AuditEvent.Kind) -> Terms {
    Terms(requiredAuthority: .mailedCode, ends: .others, event: event, touches: Set(Aspect.allCases))
  }
}

extension UserRecord {
  /// The credentials in which this record differs from an earlier one. Used recovery codes and a new hash of the same password do
  /// not count as differences.
  func proofs(changedSince old: UserRecord) -> Set<CredentialChange.Aspect> {
    var changed: Set<CredentialChange.Aspect> = []
    if password?.updatedAtMilliseconds != old.password?.updatedAtMilliseconds { changed.insert(.password) }
    if email != old.email { changed.insert(.address) }
    if phoneNumber != old.phoneNumber { changed.insert(.phone) }
    if Set(identities.map(\.name)) != Set(old.identities.map(\.name)) { changed.insert(.identities) }
    if !hasSameFactors(as: old) { changed.insert(.factors) }
    if passkeys.map(\.id) != old.passkeys.map(\.id) { changed.insert(.passkeys) }
    if !Set(recoveryCodes).isSubset(of: old.recoveryCodes) { changed.insert(.recoveryCodes) }
    return changed
  }

  private func hasSameFactors(as old: UserRecord) -> Bool {
    factors.count == old.factors.count && zip(factors, old.factors).allSatisfy { $0.isSameProof(as: $1) }
  }

  /// The credentials, as sessions name them, that an earlier record has and this one does not.
  func providersLost(since old: UserRecord) -> Set<String> {
    let kept = Set(identities.map(\.name))
    var lost = Set(old.identities.filter { !kept.contains($0.name) }.map(\.providerID))
    if let number = old.phoneNumber, number != phoneNumber { lost.insert(ProviderID.phone) }
    if old.password != nil, password == nil { lost.insert(ProviderID.password) }
    return lost
  }
}

extension ProviderIdentity {
  fileprivate var name: [String] { [providerID, rawID] }
}

extension SecondFactor {
  /// Returns true when both are of the same enrolment and secret; the time step of the last used code is not compared.
  fileprivate func isSameProof(as other: SecondFactor) -> Bool {
    guard id == other.id else { return false }
    switch (kind, other.kind) {
    case (.totp(let secret, _), .totp(let otherSecret, _)): return secret == otherSecret
    case (.phone(let number), .phone(let otherNumber)): return number == otherNumber
    default: return false
    }
  }
}
