import Foundation

/// The operations of ``User`` with a function to be called at the end, on ``Auth/callbackQueue``.
extension User {
  /// See ``getIDToken()``.
  public func getIDToken(completion: (@isolated(any) (String?, (any Error)?) -> Void)?) {
    answer(completion) { try await self.getIDToken() }
  }

  /// See ``getIDToken(forcingRefresh:)``.
  public func getIDTokenForcingRefresh(
    _ forceRefresh: Bool, completion: (@isolated(any) (String?, (any Error)?) -> Void)?
  ) {
    answer(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
  }

  /// See ``getIDTokenResult(forcingRefresh:)``.
  public func getIDTokenResult(completion: (@isolated(any) (AuthTokenResult?, (any Error)?) -> Void)?) {
    answer(completion) { try await self.getIDTokenResult() }
  }

  /// See ``getIDTokenResult(forcingRefresh:)``.
  public func getIDTokenResult(
    forcingRefresh forceRefresh: Bool, completion: (@isolated(any) (AuthTokenResult?, (any Error)?) -> Void)?
  ) {
    answer(completion) { try await self.getIDTokenResult(forcingRefresh: forceRefresh) }
  }

  /// See ``reload()``.
  public func reload(completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.reload() }
  }

  /// See ``updateEmail(to:)``.
  public func updateEmail(to email: String, completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.updateEmail(to: email) }
  }

  /// See ``updatePassword(to:)``.
  public func updatePassword(to password: String, completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.updatePassword(to: password) }
  }

  /// See ``sendEmailVerification(with:)``.
  public func sendEmailVerification(
    with actionCodeSettings: ActionCodeSettings? = nil, completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
  }

  /// See ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil,
    completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) {
      try await self.sendEmailVerification(
        beforeUpdatingEmail: newEmail, actionCodeSettings: actionCodeSettings)
    }
  }

  /// See ``delete()``.
  public func delete(completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.delete() }
  }

  /// See ``link(with:)``.
  public func link(
    with credential: AuthCredential, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.link(with: credential) }
  }

  /// See ``unlink(fromProvider:)``.
  public func unlink(fromProvider provider: String, completion: (@isolated(any) (User?, (any Error)?) -> Void)? = nil) {
    answer(completion) { try await self.unlink(fromProvider: provider) }
  }

  /// See ``reauthenticate(with:)``.
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
  /// See ``commitChanges()``.
  public func commitChanges(completion: (@isolated(any) ((any Error)?) -> Void)? = nil) {
    user.answer(completion) { try await self.commitChanges() }
  }
}
