import Foundation

extension AuthErrorCode {
  /// Returns the error for a server's message `CODE : explanation`.
  ///
  /// - Parameter reasons: The `reason` members of the error, which report refused keys.
  static func error(
    ofServerMessage message: String, reasons: [String] = [], userInfo: [String: Any] = [:]
  ) -> NSError {
    let end = message.firstIndex(of: ":") ?? message.endIndex
    let name = message[..<end].trimmingCharacters(in: .whitespaces)
    let detail = end == message.endIndex ? "" : printable(message[message.index(after: end)...])
    if let code = serverCodes[name] { return code.error(detail, userInfo: userInfo) }
    if reasons.contains(where: { $0.hasPrefix("keyInvalid") }) || name.hasPrefix("API_KEY_INVALID") {
      return invalidAPIKey.error()
    }
    if reasons.contains("ipRefererBlocked") { return appNotAuthorized.error() }
    return internalError.error("The server answered: " + printable(message[...]))
  }

  /// Returns the printable part of a server's text: at most one line, without control characters.
  static func printable(_ text: Substring) -> String {
    let scalars = text.unicodeScalars.prefix(300).filter {
      !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 32
    }
    return String(String.UnicodeScalarView(scalars)).trimmingCharacters(in: .whitespaces)
  }

  /// The server's names of the codes.
  private static let serverCodes: [String: AuthErrorCode] = [
    "ADMIN_ONLY_OPERATION": .adminRestrictedOperation,
    "BLOCKING_FUNCTION_ERROR_RESPONSE": .blockingCloudFunctionError,
    "CAPTCHA_CHECK_FAILED": .captchaCheckFailed,
    "CREDENTIAL_MISMATCH": .customTokenMismatch,
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": .requiresRecentLogin,
    "EMAIL_CHANGE_NEEDS_VERIFICATION": .emailChangeNeedsVerification,
    "EMAIL_EXISTS": .emailAlreadyInUse,
    "EMAIL_NOT_FOUND": .userNotFound,
    "EXPIRED_OOB_CODE": .expiredActionCode,
    "FEDERATED_USER_ID_ALREADY_LINKED": .credentialAlreadyInUse,
    "INVALID_APP_CREDENTIAL": .invalidAppCredential,
    "INVALID_CODE": .invalidVerificationCode,
    "INVALID_CONTINUE_URI": .invalidContinueURI,
    "INVALID_CREDENTIAL_OR_PROVIDER_ID": .invalidCredential,
    "INVALID_CUSTOM_TOKEN": .invalidCustomToken,
    "INVALID_EMAIL": .invalidEmail,
    "INVALID_HOSTING_LINK_DOMAIN": .invalidHostingLinkDomain,
    "INVALID_ID_TOKEN": .invalidUserToken,
    "INVALID_IDENTIFIER": .invalidEmail,
    "INVALID_IDP_RESPONSE": .invalidCredential,
    "INVALID_LOGIN_CREDENTIALS": .invalidCredential,
    "INVALID_MFA_PENDING_CREDENTIAL": .invalidMultiFactorSession,
    "INVALID_MFA_PHONE_NUMBER": .invalidPhoneNumber,
    "INVALID_OAUTH_CLIENT_ID": .invalidClientID,
    "INVALID_OOB_CODE": .invalidActionCode,
    "INVALID_PASSWORD": .wrongPassword,
    "INVALID_PENDING_TOKEN": .invalidCredential,
    "INVALID_PHONE_NUMBER": .invalidPhoneNumber,
    "INVALID_PROVIDER_ID": .invalidProviderID,
    "INVALID_RECIPIENT_EMAIL": .invalidRecipientEmail,
    "INVALID_REFRESH_TOKEN": .invalidUserToken,
    "INVALID_REQ_TYPE": .invalidReqType,
    "INVALID_SENDER": .invalidSender,
    "INVALID_SESSION_INFO": .invalidVerificationID,
    "INVALID_TEMPORARY_PROOF": .invalidCredential,
    "MFA_ENROLLMENT_NOT_FOUND": .multiFactorInfoNotFound,
    "MISSING_APP_CREDENTIAL": .missingAppCredential,
    "MISSING_CODE": .missingVerificationCode,
    "MISSING_CONTINUE_URI": .missingContinueURI,
    "MISSING_CUSTOM_TOKEN": .invalidCustomToken,
    "MISSING_EMAIL": .missingEmail,
    "MISSING_IOS_APP_TOKEN": .missingAppToken,
    "MISSING_MFA_ENROLLMENT_ID": .missingMultiFactorInfo,
    "MISSING_MFA_PENDING_CREDENTIAL": .missingMultiFactorSession,
    "MISSING_NEW_EMAIL": .missingEmail,
    "MISSING_OR_INVALID_NONCE": .missingOrInvalidNonce,
    "MISSING_PASSWORD": .weakPassword,
    "MISSING_PHONE_NUMBER": .missingPhoneNumber,
    "MISSING_SESSION_INFO": .missingVerificationID,
    "OPERATION_NOT_ALLOWED": .operationNotAllowed,
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": .passwordDoesNotMeetRequirements,
    "PASSWORD_LOGIN_DISABLED": .operationNotAllowed,
    "PHONE_NUMBER_EXISTS": .credentialAlreadyInUse,
    "QUOTA_EXCEEDED": .quotaExceeded,
    "RESET_PASSWORD_EXCEED_LIMIT": .tooManyRequests,
    "SECOND_FACTOR_EXISTS": .secondFactorAlreadyEnrolled,
    "SECOND_FACTOR_LIMIT_EXCEEDED": .maximumSecondFactorCountExceeded,
    "SESSION_EXPIRED": .sessionExpired,
    "TENANT_ID_MISMATCH": .tenantIDMismatch,
    "TOKEN_EXPIRED": .userTokenExpired,
    "TOO_MANY_ATTEMPTS_TRY_LATER": .tooManyRequests,
    "UNAUTHORIZED_DOMAIN": .unauthorizedDomain,
    "UNSUPPORTED_FIRST_FACTOR": .unsupportedFirstFactor,
    "UNSUPPORTED_TENANT_OPERATION": .unsupportedTenantOperation,
    "UNVERIFIED_EMAIL": .unverifiedEmail,
    "USER_DISABLED": .userDisabled,
    "USER_NOT_FOUND": .userNotFound,
    "WEAK_PASSWORD": .weakPassword,
  ]

  /// True when the error ends the session: the server will accept none of its tokens again.
  var endsSession: Bool {
    switch self {
    case .userNotFound, .userDisabled, .invalidUserToken, .userTokenExpired: true
    default: false
    }
  }

  /// The default message, for errors without a message from the server.
  var text: String {
    switch self {
    case .invalidCustomToken: "The custom token is not valid. Have the server that made it check its service account."
    case .customTokenMismatch: "The custom token was made for another project."
    case .invalidCredential: "The credential is wrong or has expired."
    case .userDisabled: "The account has been disabled by an administrator."
    case .operationNotAllowed: "This way to sign in, or this operation, is switched off on the server."
    case .emailAlreadyInUse: "The email address is already in use by another account."
    case .invalidEmail: "The email address is badly formatted."
    case .wrongPassword: "The password is wrong, or the account has none."
    case .tooManyRequests: "There were too many attempts. Try again later."
    case .userNotFound: "There is no account for this. It may have been deleted."
    case .accountExistsWithDifferentCredential:
      "An account with the same email address signs in another way. Sign in that way, then link this credential."
    case .requiresRecentLogin: "This needs a recent sign-in. Call reauthenticate(with:) and try again."
    case .providerAlreadyLinked: "The account has a credential of this provider already."
    case .noSuchProvider: "The account has no credential of this provider."
    case .invalidUserToken: "The user's token is not valid any more. Sign in again."
    case .networkError: "The server could not be reached. Check the connection and try again."
    case .userTokenExpired: "The account has changed since its token was made. Sign in again."
    case .invalidAPIKey: "The server does not know the API key. Check FirebaseOptions.apiKey."
    case .userMismatch: "The credential belongs to another user."
    case .credentialAlreadyInUse: "Another account has this credential already."
    case .weakPassword: "The password must be 6 characters long or more."
    case .expiredActionCode: "The code has expired. Ask for a new mail."
    case .invalidActionCode: "The code is wrong or has been used. Ask for a new mail."
    case .missingEmail: "An email address is needed."
    case .nullUser: "There is no user."
    case .secondFactorRequired:
      "The account requires a second factor. Continue with the MultiFactorResolver in the error's userInfo."
    case .missingAppCredential, .invalidAppCredential:
      "The server requires a captcha before it sends a message, and the app has not shown it."
    case .missingPhoneNumber, .invalidPhoneNumber: "A phone number in the form +4915112345678 is needed."
    case .missingVerificationID: "The identifier that verifyPhoneNumber returns is needed."
    case .invalidVerificationID: "The verification does not exist. Call verifyPhoneNumber again."
    case .missingVerificationCode, .invalidVerificationCode: "The code is wrong. Type the code that was received."
    case .sessionExpired: "The code has expired. Call verifyPhoneNumber again."
    case .webContextCancelled: "The sign-in page was closed before the sign-in was completed."
    case .webSignInUserInteractionFailure: "The sign-in page returned no result. Open it again."
    case .keychainError: "The session could not be stored."
    case .internalError: "The server answered something unexpected."
    case .malformedJWT: "The token cannot be read."
    default: "The operation failed: \(name)."
    }
  }
}
