import Foundation

/// The keys of the errors of ``Auth`` and ``User``.
public enum AuthErrors {
  /// The domain of the errors.
  public static let domain = "FIRAuthErrorDomain"
  /// The `userInfo` key of an error code's name, such as `ERROR_WRONG_PASSWORD`.
  public static let userInfoNameKey = "FIRAuthErrorUserInfoNameKey"
  /// The `userInfo` key of the e-mail address of the account concerned.
  public static let userInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"
  /// The `userInfo` key of a credential that can be signed in with instead.
  public static let userInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"
  /// The `userInfo` key of the ``MultiFactorResolver`` of a sign-in that requires a second factor.
  public static let userInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``AuthErrors/domain``, under its name in code for older SDKs.
public let AuthErrorDomain = AuthErrors.domain
// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``AuthErrors/userInfoNameKey``, under its name in code for older SDKs.
public let AuthErrorUserInfoNameKey = AuthErrors.userInfoNameKey
// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``AuthErrors/userInfoEmailKey``, under its name in code for older SDKs.
public let AuthErrorUserInfoEmailKey = AuthErrors.userInfoEmailKey
// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``AuthErrors/userInfoUpdatedCredentialKey``, under its name in code for older SDKs.
public let AuthErrorUserInfoUpdatedCredentialKey = AuthErrors.userInfoUpdatedCredentialKey
// swift-format-ignore: AlwaysUseLowerCamelCase
/// ``AuthErrors/userInfoMultiFactorResolverKey``, under its name in code for older SDKs.
public let AuthErrorUserInfoMultiFactorResolverKey = AuthErrors.userInfoMultiFactorResolverKey

/// The reason why an operation of ``Auth`` or ``User`` failed: the code of an `NSError` of ``AuthErrors/domain``.
///
/// `AuthErrorCode(error)` reads it, and so does `AuthErrorCode(rawValue: (error as NSError).code)`. A pattern
/// `catch AuthErrorCode.emailAlreadyInUse` does not match an `NSError`.
/// Numbers and names are those of Firebase's SDK for Apple systems.
public enum AuthErrorCode: Int, Error, Sendable, CaseIterable {
  /// The custom token is malformed.
  case invalidCustomToken = 17000
  /// The custom token belongs to another project.
  case customTokenMismatch = 17002
  /// The credential, or the address and password together, are wrong.
  case invalidCredential = 17004
  /// An administrator has disabled the account.
  case userDisabled = 17005
  /// The sign-in method, or the operation, is disabled.
  case operationNotAllowed = 17006
  /// Another account has the address.
  case emailAlreadyInUse = 17007
  /// The address is invalid.
  case invalidEmail = 17008
  /// The password is wrong.
  case wrongPassword = 17009
  /// The number of attempts exceeds a limit; retry later.
  case tooManyRequests = 17010
  /// The account does not exist.
  case userNotFound = 17011
  /// An account with the same address has another way to sign in.
  case accountExistsWithDifferentCredential = 17012
  /// The operation requires a more recent sign-in; see ``User/reauthenticate(with:)``.
  case requiresRecentLogin = 17014
  /// The account has a credential of that provider already.
  case providerAlreadyLinked = 17015
  /// The account has no credential of that provider.
  case noSuchProvider = 17016
  /// The user's token is not valid; sign in again.
  case invalidUserToken = 17017
  /// The server could not be reached, or did not answer.
  case networkError = 17020
  /// The account has changed since its token was issued; sign in again.
  case userTokenExpired = 17021
  /// The project does not know the API key.
  case invalidAPIKey = 17023
  /// The credential belongs to another user.
  case userMismatch = 17024
  /// Another account has the credential.
  case credentialAlreadyInUse = 17025
  /// The password is too weak.
  case weakPassword = 17026
  /// The project accepts no requests from this app.
  case appNotAuthorized = 17028
  /// The code of a mailed link has expired.
  case expiredActionCode = 17029
  /// The code of a mailed link is wrong, or used.
  case invalidActionCode = 17030
  /// The mail's text is not valid.
  case invalidMessagePayload = 17031
  /// The mail's sender is not valid.
  case invalidSender = 17032
  /// The mail's recipient is not valid.
  case invalidRecipientEmail = 17033
  /// The address is missing.
  case missingEmail = 17034
  /// The bundle identifier is missing.
  case missingIosBundleID = 17036
  /// The Android package's name is missing.
  case missingAndroidPackageName = 17037
  /// The link leads to an unauthorized domain.
  case unauthorizedDomain = 17038
  /// The link is invalid.
  case invalidContinueURI = 17039
  /// The link is missing.
  case missingContinueURI = 17040
  /// The phone number is missing.
  case missingPhoneNumber = 17041
  /// The phone number is invalid.
  case invalidPhoneNumber = 17042
  /// The code is missing.
  case missingVerificationCode = 17043
  /// The code is wrong.
  case invalidVerificationCode = 17044
  /// The verification's identifier is missing.
  case missingVerificationID = 17045
  /// The verification's identifier is wrong.
  case invalidVerificationID = 17046
  /// The server requires a captcha, or another proof of the app.
  case missingAppCredential = 17047
  /// The proof of the app is not accepted.
  case invalidAppCredential = 17048
  /// The verification has expired.
  case sessionExpired = 17051
  /// The quota is exceeded.
  case quotaExceeded = 17052
  /// The token for push messages is missing.
  case missingAppToken = 17053
  /// The app did not forward a push message.
  case notificationNotForwarded = 17054
  /// The app could not be verified.
  case appNotVerified = 17055
  /// The reCAPTCHA check failed.
  case captchaCheckFailed = 17056
  /// A sign-in page is open already.
  case webContextAlreadyPresented = 17057
  /// The user closed the sign-in page, or did not complete it in time.
  case webContextCancelled = 17058
  /// The page that verifies the app returned no result.
  case appVerificationUserInteractionFailure = 17059
  /// The OAuth client id does not belong to the app.
  case invalidClientID = 17060
  /// The sign-in page could not reach a server.
  case webNetworkRequestFailed = 17061
  /// The sign-in page reports an error of the server or the provider.
  case webInternalError = 17062
  /// The sign-in page returned no result.
  case webSignInUserInteractionFailure = 17063
  /// The player is not signed in to Game Center.
  case localPlayerNotAuthenticated = 17066
  /// The operation needs a user, and there is none.
  case nullUser = 17067
  /// The provider is unknown.
  case invalidProviderID = 17071
  /// The user belongs to another tenant.
  case tenantIDMismatch = 17072
  /// The operation is not available for tenants.
  case unsupportedTenantOperation = 17073
  /// The credential is malformed or belongs to another kind of sign-in.
  case rejectedCredential = 17075
  /// The app does not link GameKit.
  case gameKitNotLinked = 17076
  /// The account requires a second factor.
  case secondFactorRequired = 17078
  /// The session of the first factor is missing.
  case missingMultiFactorSession = 17081
  /// The second factor is missing.
  case missingMultiFactorInfo = 17082
  /// The session of the first factor is not valid.
  case invalidMultiFactorSession = 17083
  /// The account has no such second factor.
  case multiFactorInfoNotFound = 17084
  /// The operation is restricted to administrators.
  case adminRestrictedOperation = 17085
  /// The address has to be verified first.
  case unverifiedEmail = 17086
  /// The account has that second factor already.
  case secondFactorAlreadyEnrolled = 17087
  /// The account has the maximum number of second factors.
  case maximumSecondFactorCountExceeded = 17088
  /// The first factor does not allow a second factor.
  case unsupportedFirstFactor = 17089
  /// The new address has to be verified first; see
  /// ``User/sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``.
  case emailChangeNeedsVerification = 17090
  /// The request identifies no client.
  case missingClientIdentifier = 17093
  /// The nonce is missing, or does not match the token.
  case missingOrInvalidNonce = 17094
  /// A blocking function of the project refused.
  case blockingCloudFunctionError = 17105
  /// reCAPTCHA Enterprise is not enabled.
  case recaptchaNotEnabled = 17200
  /// The reCAPTCHA token is missing.
  case missingRecaptchaToken = 17201
  /// The reCAPTCHA token is not valid.
  case invalidRecaptchaToken = 17202
  /// The reCAPTCHA token belongs to another action.
  case invalidRecaptchaAction = 17203
  /// The kind of the client is missing.
  case missingClientType = 17204
  /// The version of reCAPTCHA is missing.
  case missingRecaptchaVersion = 17205
  /// The version of reCAPTCHA is not supported.
  case invalidRecaptchaVersion = 17206
  /// The kind of the request is not valid.
  case invalidReqType = 17207
  /// The app does not link the reCAPTCHA SDK.
  case recaptchaSDKNotLinked = 17208
  /// The project has no reCAPTCHA site key.
  case recaptchaSiteKeyMissing = 17209
  /// The reCAPTCHA SDK could not make an action.
  case recaptchaActionCreationFailed = 17210
  /// The password does not meet the project's requirements.
  case passwordDoesNotMeetRequirements = 17211
  /// The domain of the link is not one of the server's.
  case invalidHostingLinkDomain = 17214
  /// The session could not be stored or read.
  case keychainError = 17995
  /// The server's response was unexpected.
  case internalError = 17999
  /// The token is malformed.
  case malformedJWT = 18000

  /// The name of this enumeration in code for older SDKs.
  public typealias Code = AuthErrorCode

  /// The code of an error; nil for errors of other domains.
  public init?(_ error: any Error) {
    if let code = error as? AuthErrorCode {
      self = code
    } else {
      let error = error as NSError
      guard error.domain == AuthErrors.domain else { return nil }
      self.init(rawValue: error.code)
    }
  }

  /// The code itself, for code for older SDKs.
  public var code: AuthErrorCode { self }

  /// The name, such as `ERROR_EMAIL_ALREADY_IN_USE`.
  public var name: String {
    var words = ""
    var before: Character = "_"
    for character in String(describing: self) {
      if character.isUppercase, before.isLowercase { words.append("_") }
      words.append(character.uppercased())
      before = character
    }
    return "ERROR_" + words
  }

  /// Returns the error with this code.
  ///
  /// - Parameter message: The message for the user; nil for the default one of the code. Never a secret.
  func error(_ message: String? = nil, userInfo: [String: Any] = [:]) -> NSError {
    let texts: [String: Any] = [
      NSLocalizedDescriptionKey: message.flatMap { $0.isEmpty ? nil : $0 } ?? text, AuthErrors.userInfoNameKey: name,
    ]
    return NSError(domain: AuthErrors.domain, code: rawValue, userInfo: texts.merging(userInfo) { $1 })
  }
}
