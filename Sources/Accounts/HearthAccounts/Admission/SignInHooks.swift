import HearthCrypto
import HearthPlugin
import HearthTree

/// The operator's plugins and blocking functions that decide about sign-ups and sign-ins. One that fails or times out
/// denies.
package struct SignInHooks: Sendable {
  let context: AccountsContext
  /// The hooks that are asked after the plugins: the blocking functions over HTTP.
  let last: [any DecidingHook]

  /// Asks the hooks about an account that is about to be created.
  ///
  /// - Returns: the account with the hooks' changes.
  /// - Throws: `blockingFunctionError` when one denies or returns an invalid change.
  func decideCreation(
    _ user: UserRecord, signIn: SignInContext, client: ClientInfo
  ) async throws(AccountError) -> UserRecord {
    var user = user
    for change in try await decide(.beforeCreate, user, isNew: true, signIn: signIn, client: client).changes {
      _ = try change.apply(to: &user, revokesOnClaimChange: false)
    }
    return user
  }

  /// Asks the hooks about a sign-in.
  ///
  /// - Parameters:
  ///   - isNew: the account is created with this sign-in.
  ///   - secondFactor: the kind of the second factor that was shown.
  /// - Throws: `blockingFunctionError` when a hook denies or returns an invalid answer.
  func decideSignIn(
    _ user: UserRecord, isNew: Bool, signIn: SignInContext, secondFactor: SecondFactor.Kind? = nil, client: ClientInfo
  ) async throws(AccountError) -> SignInDecision {
    try await decide(.beforeSignIn, user, isNew: isNew, signIn: signIn, secondFactor: secondFactor, client: client)
  }

  private func decide(
    _ moment: HookEvent.Moment, _ user: UserRecord, isNew: Bool, signIn: SignInContext,
    secondFactor: SecondFactor.Kind? = nil, client: ClientInfo
  ) async throws(AccountError) -> SignInDecision {
    var decision = SignInDecision()
    var user = user
    for hook in context.plugins.hooks + last {
      var event = HookEvent(
        id: try context.secrets.uid(), moment: moment, user: HookUser(user, tenantID: context.tenantID),
        isNewUser: isNew,
        signInProvider: signIn.provider, signInMethod: signIn.method, clientAddress: client.address,
        userAgent: client.userAgent)
      event.secondFactor = secondFactor?.provider
      event.credential = signIn.credential?.limited(to: hook.wantedTokens)
      event.locale = client.locale
      let changes = try await verdict(of: hook, on: event)
      let change = try changes.accountChange()
      _ = try change.apply(to: &user, revokesOnClaimChange: false)
      decision.changes.append(change)
      guard moment == .beforeSignIn, let added = changes.sessionClaims else { continue }
      decision.claims = SessionClaims.merged(decision.claims, try SessionClaims.read(added))
    }
    try user.requireSmallClaims(with: decision.claims)
    return decision
  }

  private func verdict(of hook: any DecidingHook, on event: HookEvent) async throws(AccountError) -> HookChanges {
    let result = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
      () -> Result<HookVerdict, any Error> in
      do { return .success(try await hook.decide(event)) } catch { return .failure(error) }
    }
    switch result {
    case .success(.allow(let changes))?: return changes
    case .success(.deny(let message))?:
      throw AccountError(.blockingFunctionError, Self.shown(message))
    case .failure(let error as HookFailure)?:
      context.notice(AccountsNotice(.warning, "hook \(hook.name) \(error.notice); the sign-in is denied"))
      throw error.accountError
    case nil, .failure?:
      context.notice(
        AccountsNotice(.warning, "hook \(hook.name) failed or did not answer in time; the sign-in is denied"))
      throw AccountError(.blockingFunctionError, "The sign-in could not be checked.")
    }
  }

  /// Returns the hook's message in the form for clients. Clients split it at every `" : "` and show only the second part, so that
  /// separators within the message are replaced.
  static func shown(_ message: String) -> String {
    PlainText.line(message, lengthMax: 2_048).replacing(" : ", with: ": ")
  }
}

/// The hooks' decisions about a sign-in.
package struct SignInDecision: Sendable {
  /// The changes of the account by each hook, in the order of the hooks.
  var changes: [AccountChange] = []
  /// The claims that the hooks add to the session's tokens.
  var claims: [ClaimValue.Member] = []
}

extension HookFailure {
  /// The message for the operator's log.
  fileprivate var notice: String {
    switch self {
    case .deadlineExceeded: "did not answer in time"
    case .unreachable: "could not be reached"
    case .badAnswer: "returned an unusable response"
    }
  }

  /// The error for clients, with the texts of Firebase Authentication.
  fileprivate var accountError: AccountError {
    switch self {
    case .deadlineExceeded: .undecided("Cloud function deadline exceeded.")
    case .unreachable: .undecided("Cloud function could not be reached.")
    case .badAnswer(let sentence): AccountError(.blockingFunctionError, SignInHooks.shown(sentence))
    }
  }
}

extension HookChanges {
  /// Returns the hook's changes of the account, checked.
  ///
  /// - Throws: `blockingFunctionError` for a value that is too long; `invalidClaims`, `forbiddenClaim`,
  ///   `claimsTooLarge`.
  fileprivate func accountChange() throws(AccountError) -> AccountChange {
    var change = AccountChange()
    change.displayName = try Self.bounded(displayName, UserRecord.nameBytesMax, "displayName")
    change.photoURL = try Self.bounded(photoURL, UserRecord.photoURLBytesMax, "photoURL")
    change.isDisabled = isDisabled
    change.isEmailVerified = isEmailVerified
    switch customClaims {
    case .kept: break
    case .cleared: change.customAttributes = .set(AccountChange.noClaims)
    case .set(let claims): change.customAttributes = .set(ClaimValue.object(try SessionClaims.read(claims)).json)
    }
    return change
  }

  private static func bounded(
    _ change: FieldChange<String>, _ bytesMax: Int, _ name: String
  ) throws(AccountError) -> FieldChange<String> {
    guard case .set(let text) = change else { return change }
    guard text.utf8.count <= bytesMax else {
      throw AccountError(.blockingFunctionError, "The function's \(name) is longer than \(bytesMax) bytes.")
    }
    return text.isEmpty ? .cleared : change
  }
}

extension UserRecord {
  /// Checks that the claims of a user and of a session fit into one token.
  ///
  /// - Throws: `claimsTooLarge`.
  fileprivate func requireSmallClaims(with claims: [ClaimValue.Member]) throws(AccountError) {
    guard !claims.isEmpty else { return }
    let together = SessionClaims.merged(SessionClaims.usable(customAttributes), claims)
    guard (try? IDTokenClaims.check(custom: together)) != nil else { throw AccountError(.claimsTooLarge) }
  }
}
