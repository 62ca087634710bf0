import Foundation
import HearthTree

extension User {
  /// Reloads the account from the server.
  public func reload() async throws { try await reloadRecord() }

  /// Sets the address. With e-mail enumeration protection, servers refuse it: see
  /// ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``.
  public func updateEmail(to email: String) async throws { try await change([("email", .string(email))]) }

  /// Sets the password. Other sessions of the user end.
  public func updatePassword(to password: String) async throws {
    guard !password.isEmpty else { throw AuthErrorCode.weakPassword.error() }
    try await change([("password", .string(password))])
  }

  /// Sets the phone number to that of a credential.
  public func updatePhoneNumber(_ credential: PhoneAuthCredential) async throws {
    let answer = try await perform("accounts:signInWithPhoneNumber", credential.fields(.update))
    try openAuth().check(answer, of: credential)
    try await reloadRecord()
  }

  func change(_ fields: [(String, JSON?)]) async throws {
    _ = try await perform("accounts:update", fields + [("returnSecureToken", .bool(true))])
    try await reloadRecord()
  }

  /// Returns a change request for name and picture.
  public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(self) }

  /// Mails a link that verifies the user's address.
  public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) async throws {
    _ = try await perform(
      "accounts:sendOobCode", [("requestType", .string("VERIFY_EMAIL"))] + (actionCodeSettings?.fields ?? []))
  }

  /// Mails a link to a new address; opening it changes the account to that address.
  public func sendEmailVerification(
    beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws {
    let fields: [(String, JSON?)] = [
      ("requestType", .string("VERIFY_AND_CHANGE_EMAIL")), ("newEmail", .string(newEmail)),
    ]
    _ = try await perform("accounts:sendOobCode", fields + (actionCodeSettings?.fields ?? []))
  }

  /// Deletes the account, and signs out.
  public func delete() async throws {
    _ = try await perform("accounts:delete", [("localId", .string(uid))])
    auth?.signOut(onlyIf: self)
  }

  /// Links another way to sign in to the account. An anonymous account becomes permanent.
  @discardableResult public func link(with credential: AuthCredential) async throws -> AuthDataResult {
    let auth = try openAuth()
    let isLinked = record.providers.contains { $0.providerID == credential.provider }
    guard !isLinked else { throw AuthErrorCode.providerAlreadyLinked.error() }
    let answer: JSON
    switch credential {
    case let credential as EmailAuthCredential:
      let (operation, fields) = try credential.linkRequest
      answer = try await perform(operation, fields)
    case let credential as OAuthCredential:
      answer = try await perform("accounts:signInWithIdp", credential.request(autoCreate: false))
      try auth.check(answer, of: credential)
    case let credential as PhoneAuthCredential:
      answer = try await perform("accounts:signInWithPhoneNumber", credential.fields(.link))
      try auth.check(answer, of: credential)
    default:
      throw AuthErrorCode.invalidCredential.error()
    }
    try await reloadRecord()
    return auth.result(self, answer: answer, credential: credential)
  }

  /// Links the user of a provider's sign-in page to the account.
  ///
  /// - Parameter uiDelegate: The opener of the page; nil for the system's own, which is standard error on Linux.
  @discardableResult
  public func link(
    with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthDataResult {
    try await link(with: try await provider.credential(with: uiDelegate))
  }

  /// Signs the same user in again on a provider's sign-in page.
  ///
  /// - Parameter uiDelegate: The opener of the page; nil for the system's own, which is standard error on Linux.
  @discardableResult
  public func reauthenticate(
    with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
  ) async throws -> AuthDataResult {
    let credential =
      if let provider = provider as? OAuthProvider {
        try await provider.credential(with: uiDelegate, for: .reauthentication)
      } else {
        try await provider.credential(with: uiDelegate)
      }
    return try await reauthenticate(with: credential)
  }

  /// Unlinks a provider from the account.
  @discardableResult public func unlink(fromProvider provider: String) async throws -> User {
    guard record.providers.contains(where: { $0.providerID == provider }) else {
      throw AuthErrorCode.noSuchProvider.error()
    }
    try await change([("deleteProvider", .array([.string(provider)]))])
    return self
  }

  /// Signs the same user in again, for operations that require a recent sign-in.
  @discardableResult public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
    let auth = try openAuth()
    let service = auth.service(of: self)
    let (answer, tokens) = try await auth.exchange(credential, in: service, reauthenticating: self)
    try await reauthenticate(with: tokens, from: service)
    return auth.result(self, answer: answer, credential: credential)
  }

  /// Takes the tokens of a new sign-in of the same user.
  func reauthenticate(with tokens: UserTokens, from service: IdentityService) async throws {
    let record = try await service.lookup(tokens.idToken)
    guard record.uid == uid else { throw AuthErrorCode.userMismatch.error() }
    try await gate.run {
      try self.take(tokens)
      self.update { $0 = record }
    }
    auth?.userChanged(self)
  }
}
