import HearthTree

/// Credentials of phone numbers, by a code in a text message.
public final class PhoneAuthProvider: Sendable {
  /// The provider id `phone`.
  public static let id = "phone"

  private let auth: Auth

  private init(auth: Auth) { self.auth = auth }

  /// Returns the provider of the default app.
  public static func provider() -> PhoneAuthProvider { PhoneAuthProvider(auth: .auth()) }

  /// Returns the provider of an app.
  public static func provider(auth: Auth) -> PhoneAuthProvider { PhoneAuthProvider(auth: auth) }

  /// Sends a code to a phone number, for a sign-in or, with a session, for a second factor.
  ///
  /// - Parameters:
  ///   - phoneNumber: The number in E.164 form, `+4915112345678`.
  ///   - uiDelegate: The opener of the server's page with a captcha; nil for the system's own.
  ///   - multiFactorSession: The session of the user that enrols the phone.
  /// - Returns: The verification's identifier, for ``credential(withVerificationID:verificationCode:)``.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil, multiFactorSession: MultiFactorSession? = nil
  ) async throws -> String {
    guard !phoneNumber.isEmpty else { throw AuthErrorCode.missingPhoneNumber.error() }
    return try await sendCode(phoneNumber, to: nil, multiFactorSession, uiDelegate)
  }

  /// Sends a code to a second factor's phone, for a sign-in.
  ///
  /// - Parameter multiFactorSession: The session of ``MultiFactorResolver``.
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?
  ) async throws -> String {
    guard let multiFactorSession else { throw AuthErrorCode.missingMultiFactorSession.error() }
    return try await sendCode(multiFactorInfo.phoneNumber, to: multiFactorInfo, multiFactorSession, uiDelegate)
  }

  /// The completion-handler form of ``verifyPhoneNumber(_:uiDelegate:multiFactorSession:)``.
  public func verifyPhoneNumber(
    _ phoneNumber: String, uiDelegate: (any AuthUIDelegate)? = nil, multiFactorSession: MultiFactorSession? = nil,
    completion: (@isolated(any) (String?, (any Error)?) -> Void)?
  ) {
    auth.answer(completion) {
      try await self.verifyPhoneNumber(
        phoneNumber, uiDelegate: uiDelegate, multiFactorSession: multiFactorSession)
    }
  }

  /// The completion-handler form of ``verifyPhoneNumber(with:uiDelegate:multiFactorSession:)``.
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: (any AuthUIDelegate)? = nil,
    multiFactorSession: MultiFactorSession?, completion: (@isolated(any) (String?, (any Error)?) -> Void)?
  ) {
    auth.answer(completion) {
      try await self.verifyPhoneNumber(
        with: multiFactorInfo, uiDelegate: uiDelegate, multiFactorSession: multiFactorSession)
    }
  }

  /// Returns the credential of a verification and the code that the user received.
  public func credential(withVerificationID verificationID: String, verificationCode: String) -> PhoneAuthCredential {
    PhoneAuthCredential(.code(verificationID: verificationID, code: verificationCode))
  }

  private func sendCode(
    _ number: String, to factor: PhoneMultiFactorInfo?, _ session: MultiFactorSession?,
    _ uiDelegate: (any AuthUIDelegate)?
  ) async throws -> String {
    let answer: JSON?
    do {
      answer = try await requestCode(number, to: factor, session, captchaToken: nil)
    } catch let error where AuthErrorCode(error) == .missingAppCredential && !isVerificationDisabled {
      let result = try await WebContext(auth, .captcha).present(language, uiDelegate)
      answer = try await requestCode(number, to: factor, session, captchaToken: result["recaptchaToken"] ?? "")
    }
    guard let id = answer?["sessionInfo"]?.string, !id.isEmpty, id.utf8.count <= IdentityService.tokenBytesMax else {
      throw AuthErrorCode.internalError.error("The server's answer has no verification.")
    }
    return id
  }

  private var isVerificationDisabled: Bool { auth.settings?.isAppVerificationDisabledForTesting ?? false }

  /// The language of the page with the captcha.
  private var language: [(name: String, value: String)] {
    auth.languageCode.map { [(name: "hl", value: $0)] } ?? []
  }

  /// Requests a code; returns the part of the response with the verification.
  private func requestCode(
    _ number: String, to factor: PhoneMultiFactorInfo?, _ session: MultiFactorSession?, captchaToken: String?
  ) async throws -> JSON? {
    let captcha = captchaToken.map { [JSON.Member("recaptchaToken", .string($0))] } ?? []
    let numbered = [JSON.Member("phoneNumber", .string(number))] + captcha
    switch session?.subject {
    case nil:
      return try await auth.service.call(
        "accounts:sendVerificationCode", numbered.map { ($0.name, $0.value) })
    case .user(let user):
      let answer = try await user.perform(
        "accounts/mfaEnrollment:start", version: "v2", [("phoneEnrollmentInfo", .object(numbered))])
      return answer["phoneSessionInfo"]
    case .pendingSignIn(let pending):
      guard let factor else { throw AuthErrorCode.missingMultiFactorInfo.error() }
      let answer = try await auth.service.call(
        "accounts/mfaSignIn:start", version: "v2",
        [
          ("mfaPendingCredential", .string(pending)), ("mfaEnrollmentId", .string(factor.uid)),
          ("phoneSignInInfo", .object(captcha)),
        ])
      return answer["phoneResponseInfo"]
    }
  }
}
