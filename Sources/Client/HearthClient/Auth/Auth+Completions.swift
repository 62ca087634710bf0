import Foundation

/// The completion-handler forms of ``Auth``'s operations. Handlers are called on ``Auth/callbackQueue``.
extension Auth {
  /// The completion-handler form of ``signIn(withCustomToken:)``.
  public func signIn(
    withCustomToken token: String, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(withCustomToken: token) }
  }

  /// The completion-handler form of ``signInAnonymously()``.
  public func signInAnonymously(completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.signInAnonymously() }
  }

  /// The completion-handler form of ``createUser(withEmail:password:)``.
  public func createUser(
    withEmail email: String, password: String,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.createUser(withEmail: email, password: password) }
  }

  /// The completion-handler form of ``signIn(withEmail:password:)``.
  public func signIn(
    withEmail email: String, password: String,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(withEmail: email, password: password) }
  }

  /// The completion-handler form of ``signIn(withEmail:link:)``.
  public func signIn(
    withEmail email: String, link: String, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(withEmail: email, link: link) }
  }

  /// The completion-handler form of ``signIn(with:)``.
  public func signIn(
    with credential: AuthCredential, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(with: credential) }
  }

  /// The completion-handler form of ``signIn(with:uiDelegate:)``.
  public func signIn(
    with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(with: provider, uiDelegate: uiDelegate) }
  }

  /// The completion-handler form of ``sendPasswordReset(withEmail:actionCodeSettings:)``.
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) {
      try await self.sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings)
    }
  }

  /// The completion-handler form of ``sendSignInLink(toEmail:actionCodeSettings:)``.
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings,
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings) }
  }

  /// The completion-handler form of ``confirmPasswordReset(withCode:newPassword:)``.
  public func confirmPasswordReset(
    withCode code: String, newPassword: String, completion: @escaping @isolated(any) ((any Error)?) -> Void
  ) {
    answer(completion) { try await self.confirmPasswordReset(withCode: code, newPassword: newPassword) }
  }

  /// The completion-handler form of ``checkActionCode(_:)``.
  public func checkActionCode(
    _ code: String, completion: @escaping @isolated(any) (ActionCodeInfo?, (any Error)?) -> Void
  ) {
    answer(completion) { try await self.checkActionCode(code) }
  }

  /// The completion-handler form of ``verifyPasswordResetCode(_:)``.
  public func verifyPasswordResetCode(
    _ code: String, completion: @escaping @isolated(any) (String?, (any Error)?) -> Void
  ) {
    answer(completion) { try await self.verifyPasswordResetCode(code) }
  }

  /// The completion-handler form of ``applyActionCode(_:)``.
  public func applyActionCode(_ code: String, completion: @escaping @isolated(any) ((any Error)?) -> Void) {
    answer(completion) { try await self.applyActionCode(code) }
  }

  /// The completion-handler form of ``fetchSignInMethods(forEmail:)``.
  public func fetchSignInMethods(
    forEmail email: String, completion: (@isolated(any) ([String]?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.fetchSignInMethods(forEmail: email) }
  }

  /// The completion-handler form of ``revokeToken(withAuthorizationCode:)``.
  public func revokeToken(
    withAuthorizationCode authorizationCode: String, completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.revokeToken(withAuthorizationCode: authorizationCode) }
  }

  /// The completion-handler form of ``updateCurrentUser(_:)``. Without a user nothing changes and the error is
  /// ``AuthErrorCode/nullUser``.
  public func updateCurrentUser(_ user: User?, completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) {
      guard let user else { throw AuthErrorCode.nullUser.error() }
      try await self.updateCurrentUser(user)
    }
  }
}
