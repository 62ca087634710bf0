import Foundation

/// The operations of ``Auth`` with a function to be called at the end, on ``Auth/callbackQueue``.
extension Auth {
  /// See ``signIn(withCustomToken:)``.
  public func signIn(
    withCustomToken token: String, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(withCustomToken: token) }
  }

  /// See ``signInAnonymously()``.
  public func signInAnonymously(completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.signInAnonymously() }
  }

  /// See ``createUser(withEmail:password:)``.
  public func createUser(
    withEmail email: String, password: String,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.createUser(withEmail: email, password: password) }
  }

  /// See ``signIn(withEmail:password:)``.
  public func signIn(
    withEmail email: String, password: String,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(withEmail: email, password: password) }
  }

  /// See ``signIn(withEmail:link:)``.
  public func signIn(
    withEmail email: String, link: String, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(withEmail: email, link: link) }
  }

  /// See ``signIn(with:)``.
  public func signIn(
    with credential: AuthCredential, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.signIn(with: credential) }
  }

  /// See ``sendPasswordReset(withEmail:actionCodeSettings:)``.
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) {
      try await self.sendPasswordReset(withEmail: email, actionCodeSettings: actionCodeSettings)
    }
  }

  /// See ``sendSignInLink(toEmail:actionCodeSettings:)``.
  public func sendSignInLink(
    toEmail email: String, actionCodeSettings: ActionCodeSettings,
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.sendSignInLink(toEmail: email, actionCodeSettings: actionCodeSettings) }
  }

  /// See ``confirmPasswordReset(withCode:newPassword:)``.
  public func confirmPasswordReset(
    withCode code: String, newPassword: String, completion: @escaping @isolated(any) ((any Error)?) -> Void
  ) {
    answer(completion) { try await self.confirmPasswordReset(withCode: code, newPassword: newPassword) }
  }

  /// See ``checkActionCode(_:)``.
  public func checkActionCode(
    _ code: String, completion: @escaping @isolated(any) (ActionCodeInfo?, (any Error)?) -> Void
  ) {
    answer(completion) { try await self.checkActionCode(code) }
  }

  /// See ``verifyPasswordResetCode(_:)``.
  public func verifyPasswordResetCode(
    _ code: String, completion: @escaping @isolated(any) (String?, (any Error)?) -> Void
  ) {
    answer(completion) { try await self.verifyPasswordResetCode(code) }
  }

  /// See ``applyActionCode(_:)``.
  public func applyActionCode(_ code: String, completion: @escaping @isolated(any) ((any Error)?) -> Void) {
    answer(completion) { try await self.applyActionCode(code) }
  }

  /// See ``fetchSignInMethods(forEmail:)``.
  public func fetchSignInMethods(
    forEmail email: String, completion: (@isolated(any) ([String]?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.fetchSignInMethods(forEmail: email) }
  }

  /// See ``updateCurrentUser(_:)``. Without a user nothing is changed and ``AuthErrorCode/nullUser`` is told.
  public func updateCurrentUser(_ user: User?, completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) {
      guard let user else { throw AuthErrorCode.nullUser.error() }
      try await self.updateCurrentUser(user)
    }
  }
}
