import Foundation
import HearthClient
import HearthTree

extension Firebase {
  private var session: LegacySession { app.session }

  /// The session of the signed-in user; nil when signed out.
  public var authData: FAuthData? { session.authData }

  /// Calls `block` with the signed-in user: at once, and then at each change.
  @discardableResult
  public func observeAuthEventWithBlock(_ block: @escaping @isolated(any) (FAuthData?) -> Void) -> FirebaseHandle {
    session.observe(Callback(block))
  }

  /// Removes an observer of ``observeAuthEventWithBlock(_:)``.
  public func removeAuthEventObserverWithHandle(_ handle: FirebaseHandle) { session.removeObserver(handle) }

  // MARK: Accounts

  /// Creates an account without signing in.
  public func createUser(
    _ email: String, password: String, withCompletionBlock block: @escaping @isolated(any) (NSError?) -> Void
  ) {
    createUser(email, password, Callback(block).mapped { $0.0 })
  }

  /// Creates an account without signing in, and reports its `uid`.
  public func createUser(
    _ email: String, password: String,
    withValueCompletionBlock block: @escaping @isolated(any) (NSError?, [String: Any]?) -> Void
  ) {
    createUser(email, password, Callback(block).mapped { ($0.0, $0.1?.foundationDictionary) })
  }

  private func createUser(_ email: String, _ password: String, _ done: Callback<(NSError?, JSON?)>) {
    request(done) { try await $0.call("POST", ["users"], [("email", email), ("password", password)]) }
  }

  /// Deletes an account and signs it out.
  public func removeUser(
    _ email: String, password: String, withCompletionBlock block: @escaping @isolated(any) (NSError?) -> Void
  ) {
    let session = session
    change(block) { service in
      let answer = try await service.call("DELETE", ["users", email], [("email", email), ("password", password)])
      if let uid = answer["uid"]?.string { session.signOut(uid: uid) }
      return answer
    }
  }

  /// Sets a new password.
  public func changePasswordForUser(
    _ email: String, fromOld oldPassword: String, toNew newPassword: String,
    withCompletionBlock block: @escaping @isolated(any) (NSError?) -> Void
  ) {
    change(block) { service in
      try await service.call(
        "PUT", ["users", email, "password"],
        [("email", email), ("oldPassword", oldPassword), ("newPassword", newPassword)])
    }
  }

  /// Sets a new address.
  public func changeEmailForUser(
    _ email: String, password: String, toNewEmail newEmail: String,
    withCompletionBlock block: @escaping @isolated(any) (NSError?) -> Void
  ) {
    change(block) { service in
      try await service.call(
        "PUT", ["users", email, "email"], [("oldEmail", email), ("newEmail", newEmail), ("password", password)])
    }
  }

  /// Mails a link for a new password.
  public func resetPasswordForUser(
    _ email: String, withCompletionBlock block: @escaping @isolated(any) (NSError?) -> Void
  ) {
    change(block) { try await $0.call("POST", ["users", email, "password"], [("email", email)]) }
  }

  /// Performs a request and reports only its error.
  private func change(
    _ block: @escaping @isolated(any) (NSError?) -> Void,
    _ work: @escaping @Sendable (LegacyAccountService) async throws -> JSON
  ) {
    request(Callback(block).mapped { $0.0 }, work)
  }

  /// Performs a request and reports its end on the app's queue.
  private func request(
    _ done: Callback<(NSError?, JSON?)>,
    _ work: @escaping @Sendable (LegacyAccountService) async throws -> JSON
  ) {
    let session = session
    Task {
      do {
        let answer = try await work(session.service)
        session.call(done, (nil, answer))
      } catch {
        let error = error as NSError
        session.call(done, (error, nil))
      }
    }
  }

  // MARK: Signing in and out

  /// The callback for the end of a sign-in: with an error, or with the signed-in user.
  public typealias AuthCompletion = @isolated(any) (NSError?, FAuthData?) -> Void

  /// Signs in anonymously.
  public func authAnonymouslyWithCompletionBlock(_ block: @escaping AuthCompletion) {
    session.signIn(Callback(block)) { try await $0.call("GET", ["auth", "anonymous"], []) }
  }

  /// Signs in with an address and its password.
  public func authUser(_ email: String, password: String, withCompletionBlock block: @escaping AuthCompletion) {
    session.signIn(Callback(block)) {
      try await $0.call("GET", ["auth", "password"], [("email", email), ("password", password)])
    }
  }

  /// Signs in with a custom token of the app's own server, or with the database's secret.
  public func authWithCustomToken(_ token: String, withCompletionBlock block: @escaping AuthCompletion) {
    session.signIn(token: token, Callback(block), cancel: nil)
  }

  /// Signs in with another provider's token: `facebook`, `github` or `google`.
  public func authWithOAuthProvider(
    _ provider: String, token oauthToken: String, withCompletionBlock block: @escaping AuthCompletion
  ) {
    authWithOAuthProvider(provider, parameters: ["access_token": oauthToken], withCompletionBlock: block)
  }

  /// Signs in with the credentials of another provider: for `twitter` `user_id`, `oauth_token` and
  /// `oauth_token_secret`.
  public func authWithOAuthProvider(
    _ provider: String, parameters: [AnyHashable: Any], withCompletionBlock block: @escaping AuthCompletion
  ) {
    let fields = parameters.map { (name: "\($0.key)", value: "\($0.value)") }.sorted { $0.name < $1.name }
    session.signIn(Callback(block)) { try await $0.call("GET", ["auth", provider, "token"], fields) }
  }

  /// Requests the first parameters of a provider's reverse sign-in. Servers without it answer an error.
  public func makeReverseOAuthRequestTo(
    _ provider: String, withCompletionBlock block: @escaping @isolated(any) (NSError?, [String: Any]?) -> Void
  ) {
    request(Callback(block).mapped { ($0.0, $0.1?.foundationDictionary) }) {
      try await $0.call("GET", ["auth", provider, "reverse"], [])
    }
  }

  /// Signs in with a token. `cancelBlock` is called when it becomes invalid. Use
  /// ``authWithCustomToken(_:withCompletionBlock:)``.
  public func authWithCredential(
    _ credential: String, withCompletionBlock block: @escaping @isolated(any) (NSError?, Any?) -> Void,
    withCancelBlock cancelBlock: @escaping @isolated(any) (NSError) -> Void
  ) {
    session.signIn(
      token: credential,
      Callback(block).mapped { ($0.0, $0.1.map { ["auth": $0.auth ?? [:]] as [String: Any] }) },
      cancel: Callback(cancelBlock))
  }

  /// Signs out, without a request to the server.
  public func unauth() { session.signOut() }

  /// Signs out, and calls a block when that is done. Use ``unauth()``.
  public func unauthWithCompletionBlock(_ block: @escaping @isolated(any) (NSError?) -> Void) {
    session.signOut()
    session.call(Callback(block), nil)
  }
}
