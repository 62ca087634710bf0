import HearthCrypto
import HearthEngine

/// Admits users whose credentials were right: asks the hooks, and then makes all changes in one transaction. Nothing is
/// stored while the hooks are asked, so a refused sign-in leaves no trace. The names of a new account are reserved
/// meanwhile: of two sign-ups with one address the second waits for the outcome of the first.
package struct SignInAdmission: Sendable {
  let context: AccountsContext
  let hooks: SignInHooks
  let names: NameReservations
  private var passkeys: PasskeyPolicy { PasskeyPolicy(context: context) }

  /// A sign-in that the hooks allow.
  struct AdmittedSignIn: Sendable {
    fileprivate let authenticated: AuthenticatedUser
    /// The new account with the hooks' changes.
    fileprivate let user: UserRecord
    fileprivate let decision: SignInDecision
    /// The reserved names of a new account; nil when the user has an account already, or a concurrent request has created it
    /// meanwhile.
    fileprivate let reservation: NameReservations.Reservation?
    /// True when a concurrent sign-up created the account while this one waited for its names.
    fileprivate var isAlreadyCreated = false
    /// The claims for the session's tokens: those of the credential, and those of the hooks.
    let claims: [ClaimValue.Member]
    /// The account as this sign-in stores it, unless a concurrent request changes it: with the hooks' changes.
    var expected: UserRecord {
      var expected = user
      for change in decision.changes { _ = try? change.apply(to: &expected, revokesOnClaimChange: false) }
      return expected
    }
    /// The claims that the hooks add, without those of the credential.
    var hookClaims: [ClaimValue.Member] { decision.claims }
  }

  /// Returns true when the user's first factor is enough for the account, and the account does not require a passkey.
  func admits(_ authenticated: AuthenticatedUser) -> Bool {
    (try? passkeys.check(authenticated.user, signIn: authenticated.signIn)) != nil
  }

  /// Asks the hooks.
  ///
  /// - Throws: `blockingFunctionError` when one denies; `userDisabled` when the account is disabled, or a hook disables
  ///   the new account, which is stored; `passkeyRequired` for an account that accepts only its passkeys.
  func admit(
    _ authenticated: AuthenticatedUser, secondFactor: SecondFactor.Kind? = nil, client: ClientInfo
  ) async throws(AccountError) -> AdmittedSignIn {
    guard !authenticated.user.isDisabled else { throw AccountError(.userDisabled) }
    try passkeys.check(authenticated.user, signIn: authenticated.signIn)
    var (user, reservation): (UserRecord, NameReservations.Reservation?) = (authenticated.user, nil)
    if let creation = authenticated.creation {
      let taken = try await names.reserve(namesOf: user)
      do throws(AccountError) { try requireFree(user, after: taken) } catch {
        guard creation.canJoin else { throw error }
        return AdmittedSignIn(
          authenticated: authenticated, user: user, decision: SignInDecision(), reservation: nil,
          isAlreadyCreated: true, claims: [])
      }
      reservation = taken
      user = try await hooks.decideCreation(user, signIn: authenticated.signIn, client: client)
      if user.isDisabled {
        _ = try await add(user, of: authenticated)
        throw AccountError(.userDisabled)
      }
    }
    let decision = try await hooks.decideSignIn(
      user, isNew: authenticated.isNew, signIn: authenticated.signIn, secondFactor: secondFactor, client: client)
    return AdmittedSignIn(
      authenticated: authenticated, user: user, decision: decision, reservation: reservation,
      claims: SessionClaims.merged(authenticated.claims, decision.claims))
  }

  /// Stores the hooks' decisions and completes the sign-in.
  ///
  /// - Parameter begin: runs in the same transaction, for example to begin a session. The record is stored after it.
  /// - Returns: the account and the result of `begin`; nil when the account was to be created, and a concurrent request has created
  ///   one meanwhile.
  /// - Throws: `userNotFound`, `userDisabled` or `tokenExpired` when the account has changed meanwhile; `userDisabled` when a hook
  ///   disables it, which is stored.
  func complete<Value: Sendable>(
    _ admitted: AdmittedSignIn, client: ClientInfo,
    begin: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Value
  ) async throws(AccountError) -> (user: UserRecord, value: Value)? {
    guard !admitted.isAlreadyCreated else { return nil }
    // Held until all readers can see the account.
    defer { withExtendedLifetime(admitted.reservation) {} }
    let revokes = context.configuration.revokesOnClaimChange
    let hookChanges: [CredentialChange] = admitted.decision.changes.isEmpty ? [] : [.administered]
    let completion = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> Completion<Value> in
      guard var current = try transaction.currentUser(of: admitted) else { return .alreadyCreated }
      let hasEndedTokens = try transaction.apply(
        admitted.decision, to: &current, revokesOnClaimChange: revokes && !admitted.authenticated.isNew, client: client)
      guard !current.isDisabled else {
        try transaction.update(current, as: hookChanges)
        return .disabled(current)
      }
      let value = try begin(&transaction, &current)
      try transaction.update(current, as: hookChanges)
      return .signedIn(current, value, hasEndedTokens: hasEndedTokens)
    }
    switch completion {
    case .alreadyCreated: return nil
    case .disabled(let user):
      if !admitted.authenticated.isNew { context.announce(.user(uid: user.uid), .userDisabled) }
      throw AccountError(.userDisabled)
    case .signedIn(let user, let value, let hasEndedTokens):
      if hasEndedTokens { context.announce(.user(uid: user.uid), .claimsChanged) }
      return (user, value)
    }
  }

  private enum Completion<Value: Sendable>: Sendable {
    case alreadyCreated
    case disabled(UserRecord)
    case signedIn(UserRecord, Value, hasEndedTokens: Bool)
  }

  /// Creates an account without a session.
  ///
  /// - Throws: `blockingFunctionError` when a hook denies; `userDisabled` when one disables the account, which is
  ///   stored; the errors of ``AccountTransaction/insert(_:)``.
  package func create(_ authenticated: AuthenticatedUser, client: ClientInfo) async throws(AccountError) -> UserRecord {
    let reservation = try await names.reserve(namesOf: authenticated.user)
    defer { withExtendedLifetime(reservation) {} }
    try requireFree(authenticated.user, after: reservation)
    let user = try await hooks.decideCreation(authenticated.user, signIn: authenticated.signIn, client: client)
    guard let kept = try await add(user, of: authenticated) else { throw AccountError(.duplicateLocalID) }
    guard !kept.isDisabled else { throw AccountError(.userDisabled) }
    return kept
  }

  /// Checks after a wait that the previous holder of the names has not created the account.
  ///
  /// - Throws: the errors of ``AccountTransaction/insert(_:)``.
  private func requireFree(_ user: UserRecord, after reservation: NameReservations.Reservation) throws(AccountError) {
    guard reservation.hasWaited else { return }
    let view = context.store.view
    guard view.user(user.uid) == nil else { throw AccountError(.duplicateLocalID) }
    try view.requireFree(user)
  }

  private func add(_ user: UserRecord, of authenticated: AuthenticatedUser) async throws(AccountError) -> UserRecord? {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord? in
      try authenticated.creation?.add(&transaction, user)
    }
  }
}

extension AccountTransaction {
  /// Returns the current account of the user who signs in, and creates a new one. Nil when a concurrent request has given the user
  /// another one meanwhile.
  fileprivate mutating func currentUser(of admitted: SignInAdmission.AdmittedSignIn) throws(AccountError) -> UserRecord?
  {
    if let creation = admitted.authenticated.creation { return try creation.add(&self, admitted.user) }
    guard let current = user(admitted.authenticated.user.uid) else { throw AccountError(.userNotFound) }
    try current.requireCredentials(of: admitted.authenticated.user)
    return current
  }

  /// Applies the hooks' changes to the newest record; the caller stores it.
  ///
  /// - Parameter revokesOnClaimChange: true when changed claims end the tokens so far.
  /// - Returns: true when the tokens so far ended.
  mutating func apply(
    _ decision: SignInDecision, to user: inout UserRecord, revokesOnClaimChange: Bool, client: ClientInfo
  ) throws(AccountError) -> Bool {
    var ends = false
    for change in decision.changes {
      let outcome = try change.apply(to: &user, revokesOnClaimChange: revokesOnClaimChange)
      for event in outcome.events {
        audit(AuditEvent(event, uid: user.uid, email: user.email, client: client, detail: "by a hook"))
      }
      ends = ends || outcome.endsTokens
    }
    if ends { endTokens(of: &user) }
    return ends
  }
}
