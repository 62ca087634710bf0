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
  struct Admitted: Sendable {
    fileprivate let proven: ProvenUser
    /// The new account with the hooks' changes.
    fileprivate let user: UserRecord
    fileprivate let decision: SignInDecision
    /// The reserved names of a new account; nil when the user has an account, also by now.
    fileprivate let hold: NameReservations.Hold?
    /// True when a concurrent sign-up created the account while this one waited for its names.
    fileprivate var isRaced = false
    /// The claims for the session's tokens: those of the credential, and those of the hooks.
    let claims: [ClaimValue.Member]
    /// The account with the hooks' changes, unless it is changed meanwhile.
    var expected: UserRecord {
      var expected = user
      for change in decision.changes { _ = try? change.apply(to: &expected, revokesOnClaimChange: false) }
      return expected
    }
    /// The hooks' alone.
    var hookClaims: [ClaimValue.Member] { decision.claims }
  }

  /// Returns true when a first factor of that way is enough for the account, and the account does not require a
  /// passkey.
  func admits(_ proven: ProvenUser) -> Bool { (try? passkeys.check(proven.user, way: proven.way)) != nil }

  /// Asks the hooks.
  ///
  /// - Throws: `blockingFunctionError` when one denies; `userDisabled` when the account is disabled, or a hook disables
  ///   the new account, which is stored; `passkeyRequired` for an account that accepts only its passkeys.
  func admit(
    _ proven: ProvenUser, secondFactor: SecondFactor.Kind? = nil, client: ClientInfo
  ) async throws(AccountError) -> Admitted {
    guard !proven.user.isDisabled else { throw AccountError(.userDisabled) }
    try passkeys.check(proven.user, way: proven.way)
    var (user, hold): (UserRecord, NameReservations.Hold?) = (proven.user, nil)
    if let creation = proven.creation {
      let taken = try await names.take(namesOf: user)
      do throws(AccountError) { try requireFree(user, after: taken) } catch {
        guard creation.canJoin else { throw error }
        return Admitted(proven: proven, user: user, decision: SignInDecision(), hold: nil, isRaced: true, claims: [])
      }
      hold = taken
      user = try await hooks.decideCreation(user, way: proven.way, client: client)
      if user.isDisabled {
        _ = try await add(user, of: proven)
        throw AccountError(.userDisabled)
      }
    }
    let decision = try await hooks.decideSignIn(
      user, isNew: proven.isNew, way: proven.way, secondFactor: secondFactor, client: client)
    return Admitted(
      proven: proven, user: user, decision: decision, hold: hold,
      claims: SessionClaims.merged(proven.claims, decision.claims))
  }

  /// Stores the hooks' decisions and completes the sign-in.
  ///
  /// - Parameter begin: runs in the same transaction, for example to begin a session. The record is stored after it.
  /// - Returns: the account and the result of `begin`; nil when the account was to be created, and the user has one by
  ///   now.
  /// - Throws: `userNotFound`, `userDisabled` or `tokenExpired` when the account has changed meanwhile; `userDisabled`
  ///   when a hook disables it, which is stored.
  func enter<Value: Sendable>(
    _ admitted: Admitted, client: ClientInfo,
    begin: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Value
  ) async throws(AccountError) -> (user: UserRecord, value: Value)? {
    guard !admitted.isRaced else { return nil }
    // Held until all readers can see the account.
    defer { withExtendedLifetime(admitted.hold) {} }
    let revokes = context.configuration.revokesOnClaimChange
    let hookChanges: [ProofChange] = admitted.decision.changes.isEmpty ? [] : [.administered]
    let entry = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> Entry<Value> in
      guard var current = try transaction.arrive(admitted) else { return .raced }
      let ended = try transaction.apply(
        admitted.decision, to: &current, revokesOnClaimChange: revokes && !admitted.proven.isNew, client: client)
      guard !current.isDisabled else {
        try transaction.update(current, as: hookChanges)
        return .shut(current)
      }
      let value = try begin(&transaction, &current)
      try transaction.update(current, as: hookChanges)
      return .entered(current, value, ended: ended)
    }
    switch entry {
    case .raced: return nil
    case .shut(let user):
      if !admitted.proven.isNew { context.announce(.user(uid: user.uid), .userDisabled) }
      throw AccountError(.userDisabled)
    case .entered(let user, let value, let ended):
      if ended { context.announce(.user(uid: user.uid), .claimsChanged) }
      return (user, value)
    }
  }

  private enum Entry<Value: Sendable>: Sendable {
    case raced
    case shut(UserRecord)
    case entered(UserRecord, Value, ended: Bool)
  }

  /// Creates an account without a session.
  ///
  /// - Throws: `blockingFunctionError` when a hook denies; `userDisabled` when one disables the account, which is
  ///   stored; the errors of ``AccountTransaction/insert(_:)``.
  package func create(_ proven: ProvenUser, client: ClientInfo) async throws(AccountError) -> UserRecord {
    let hold = try await names.take(namesOf: proven.user)
    defer { withExtendedLifetime(hold) {} }
    try requireFree(proven.user, after: hold)
    let user = try await hooks.decideCreation(proven.user, way: proven.way, client: client)
    guard let kept = try await add(user, of: proven) else { throw AccountError(.duplicateLocalID) }
    guard !kept.isDisabled else { throw AccountError(.userDisabled) }
    return kept
  }

  /// Checks after a wait that the previous holder of the names has not created the account.
  ///
  /// - Throws: the errors of ``AccountTransaction/insert(_:)``.
  private func requireFree(_ user: UserRecord, after hold: NameReservations.Hold) throws(AccountError) {
    guard hold.hadToWait else { return }
    let view = context.store.view
    guard view.user(user.uid) == nil else { throw AccountError(.duplicateLocalID) }
    try view.requireFree(user)
  }

  private func add(_ user: UserRecord, of proven: ProvenUser) async throws(AccountError) -> UserRecord? {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord? in
      try proven.creation?.add(&transaction, user)
    }
  }
}

extension AccountTransaction {
  /// Returns the current account of the user who signs in, and creates a new one. Nil when the user has another one by
  /// now.
  fileprivate mutating func arrive(_ admitted: SignInAdmission.Admitted) throws(AccountError) -> UserRecord? {
    if let creation = admitted.proven.creation { return try creation.add(&self, admitted.user) }
    guard let current = user(admitted.proven.user.uid) else { throw AccountError(.userNotFound) }
    try current.requireCredentials(of: admitted.proven.user)
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
