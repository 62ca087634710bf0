import Foundation

/// The completion-handler forms of ``User``'s operations. Handlers are called on ``Auth/callbackQueue``.
extension User {
  /// The completion-handler form of ``getIDToken()``.
  public func getIDToken(completion: (@isolated(any) (String?, (any Error)?) -> Void)?) {
    answer(completion) { try await self.getIDToken() }
  }

  /// The completion-handler form of ``getIDToken(forcingRefresh:)``.
  public func getIDTokenForcingRefresh(
    _ forceRefresh: Bool, completion: (@isolated(any) (String?, (any Error)?) -> Void)?
  ) {
    answer(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
  }

  /// The completion-handler form of ``getIDTokenResult(forcingRefresh:)``.
  public func getIDTokenResult(completion: (@isolated(any) (AuthTokenResult?, (any Error)?) -> Void)?) {
    answer(completion) { try await self.getIDTokenResult() }
  }

  /// The completion-handler form of ``getIDTokenResult(forcingRefresh:)``.
  public func getIDTokenResult(
    forcingRefresh forceRefresh: Bool, completion: (@isolated(any) (AuthTokenResult?, (any Error)?) -> Void)?
  ) {
    answer(completion) { try await self.getIDTokenResult(forcingRefresh: forceRefresh) }
  }

  /// The completion-handler form of ``reload()``.
  public func reload(completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.reload() }
  }

  /// The completion-handler form of ``updateEmail(to:)``.
  public func updateEmail(to email: String, completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.updateEmail(to: email) }
  }

  /// The completion-handler form of ``updatePassword(to:)``.
  public func updatePassword(to password: String, completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.updatePassword(to: password) }
  }

  /// The completion-handler form of ``sendEmailVerification(with:)``.
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil, completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
  }

  /// The completion-handler form of ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil,
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) {
      try await self.sendEmailVerification(
        beforeUpdatingEmail: newEmail, actionCodeSettings: actionCodeSettings)
    }
  }

  /// The completion-handler form of ``updatePhoneNumber(_:)``.
  public func updatePhoneNumber(
    _ credential: PhoneAuthCredential, completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.updatePhoneNumber(credential) }
  }

  /// The completion-handler form of ``delete()``.
  public func delete(completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.delete() }
  }

  /// The completion-handler form of ``link(with:)``.
  public func link(
    with credential: AuthCredential, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.link(with: credential) }
  }

  /// The completion-handler form of ``link(with:uiDelegate:)``.
  public func link(
    with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.link(with: provider, uiDelegate: uiDelegate) }
  }

  /// The completion-handler form of ``reauthenticate(with:uiDelegate:)``.
  public func reauthenticate(
    with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
    completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.reauthenticate(with: provider, uiDelegate: uiDelegate) }
  }

  /// The completion-handler form of ``unlink(fromProvider:)``.
  public func unlink(fromProvider provider: String, completion: (@isolated(any) (User?, (any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.unlink(fromProvider: provider) }
  }

  /// The completion-handler form of ``reauthenticate(with:)``.
  public func reauthenticate(
    with credential: AuthCredential, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.reauthenticate(with: credential) }
  }

  private func answer<Value: Sendable>(
    _ completion: (@isolated(any) (Value?, (any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Value
  ) {
    auth?.answer(completion, work)
  }

  func answer(
    _ completion: (@isolated(any) ((any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Void
  ) {
    auth?.answer(completion, work)
  }
}

extension UserProfileChangeRequest {
  /// The completion-handler form of ``commitChanges()``.
  public func commitChanges(completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    user.answer(completion) { try await self.commitChanges() }
  }
}
