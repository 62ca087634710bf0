import Foundation
import HearthTree

extension Auth {
  /// Mails a link for a new password. Servers that hide which addresses have accounts answer the same for all.
  public func sendPasswordReset(
    withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil
  ) async throws {
    try await sendCode("PASSWORD_RESET", email, actionCodeSettings)
  }

  /// Mails a link to sign in with. The settings name where it leads, and that the app handles it.
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

  /// The address of a code for a new password. The code stays good.
  public func verifyPasswordResetCode(_ code: String) async throws -> String {
    let info = try await checkActionCode(code)
    guard info.operation == .passwordReset else { throw AuthErrorCode.invalidActionCode.error() }
    return info.email
  }

  /// Performs a code's operation: verifies an address, changes to it, or reverts a change.
  public func applyActionCode(_ code: String) async throws {
    _ = try await service.call("accounts:update", [("oobCode", .string(code))])
  }

  /// The ways in that an address has. Servers that hide which addresses have accounts answer none.
  public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
    guard !email.isEmpty else { throw AuthErrorCode.missingEmail.error() }
    let answer = try await service.call(
      "accounts:createAuthUri", [("identifier", .string(email)), ("continueUri", .string("http://localhost"))])
    return answer["signinMethods"]?.array?.compactMap(\.string) ?? []
  }
}
