import Foundation
import HearthTree

extension Auth {
  /// Mails a link for a new password. With e-mail enumeration protection, the result is the same for all addresses.
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws {
    try await sendCode("PASSWORD_RESET", email, actionCodeSettings)
  }

  /// Mails a sign-in link. The settings must have a continue URL and be handled by the app.
  public func sendSignInLink(toEmail email: String, actionCodeSettings: ActionCodeSettings) async throws {
    try await sendCode("EMAIL_SIGNIN", email, actionCodeSettings)
  }

  private func sendCode(_ type: String, _ email: String, _ settings: ActionCodeSettings?) async throws {
    guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
    let fields: [(String, JSON?)] = [("requestType", .string(type)), ("email", .string(email))]
    _ = try await service.call("accounts:sendOobCode", fields + (settings?.fields ?? []))
  }

  /// Sets a new password with the code of a mailed link. All sessions of the user end.
  public func confirmPasswordReset(withCode code: String, newPassword: String) async throws {
    guard !newPassword.isEmpty else { throw AuthErrorCode.weakPassword.error() }
    _ = try await service.call(
      "accounts:resetPassword", [("oobCode", .string(code)), ("newPassword", .string(newPassword))])
  }

  /// Returns the operation of a code without using the code up.
  public func checkActionCode(_ code: String) async throws -> ActionCodeInfo {
    let answer = try await service.call("accounts:resetPassword", [("oobCode", .string(code))])
    let (email, new) = (answer["email"]?.string, answer["newEmail"]?.string)
    return ActionCodeInfo(
      operation: ActionCodeOperation(requestType: answer["requestType"]?.string ?? ""), email: new ?? email ?? "",
      previousEmail: new == nil ? nil : email)
  }

  /// Returns the address of a password reset code without using the code up.
  public func verifyPasswordResetCode(_ code: String) async throws -> String {
    let info = try await checkActionCode(code)
    guard info.operation == .passwordReset else { throw AuthErrorCode.invalidActionCode.error() }
    return info.email
  }

  /// Performs a code's operation: verifies an address, changes to it, or reverts a change.
  public func applyActionCode(_ code: String) async throws {
    _ = try await service.call("accounts:update", [("oobCode", .string(code))])
  }

  /// Revokes the tokens that Apple issued for an authorization code, as the deletion of an account requires. Hearth
  /// stores no tokens of Apple, and revokes none.
  ///
  /// - Throws: ``AuthErrorCode/nullUser`` when signed out.
  public func revokeToken(withAuthorizationCode authorizationCode: String) async throws {
    guard let user = currentUser else { throw AuthErrorCode.nullUser.error() }
    _ = try await user.perform(
      "accounts:revokeToken", version: "v2",
      [
        ("providerId", .string(AuthProviderID.apple.rawValue)),
        // An authorization code.
        ("tokenType", .string("3")), ("token", .string(authorizationCode)),
      ])
  }

  /// Returns the sign-in methods of an address. With e-mail enumeration protection, the result is empty.
  public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
    guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
    let answer = try await service.call(
      "accounts:createAuthUri", [("identifier", .string(email)), ("continueUri", .string("http://localhost"))])
    return answer["signinMethods"]?.array?.compactMap(\.string) ?? []
  }
}
